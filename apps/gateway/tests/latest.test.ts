import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compileResponseCheck } from '../src/latest/response-check';
import { type BootedGateway, bootGateway, lastWindowEndMs, SYMBOLS } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const LATEST = '/api/public/market-state/latest';

describe('latest', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('answers with every field that the document promises', async () => {
    const response = await booted.keyed(LATEST);
    expect(response.status).toBe(200);
    expect(compileResponseCheck('LatestResponse')(response.json())).toBeNull();
    expect(response.json()).toMatchObject({ row_total: 1, packet_serving_state: 'fresh_packet', rows: [{ symbol: 'BTCUSD-PERP' }] });
  });
});
