import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const LATEST = '/api/public/market-state/latest';
const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;

/** A packet of another release of labeling, without a field that answers need. */
const unreadable = Buffer.from('{"packet_type":"market_state.v1"}');

describe('packets that the gateway cannot show', () => {
  let booted: BootedGateway;
  let endMs = 0;
  beforeEach(async () => {
    const bootMs = Date.now();
    endMs = lastWindowEndMs(bootMs);
    booted = await bootGateway({ now: () => bootMs, packets: false });
  });
  afterEach(() => booted.close());

  it.each([
    ['a first packet', [unreadable]],
    ['a later packet', [undefined, unreadable]],
  ])('leave the packets of other symbols as they are: %s', async (_case, bodies) => {
    booted.labeling.push(packetRecord(BTC, endMs));
    bodies.forEach((body, index) => booted.labeling.push(packetRecord(ETH, endMs + index * 10_000, body === undefined ? {} : { body })));
    booted.labeling.push(packetRecord(BTC, endMs + 20_000));
    const newest = `evt_${BTC}_${endMs + 20_000}`;
    await booted.until(async () => (await booted.keyed(`${LATEST}?symbol=${BTC}`)).text.includes(newest));
    await booted.until(async () => (await booted.keyed(`${LATEST}?symbol=${ETH}`)).status === 503);
    await booted.until(async () => (await booted.keyed(`${LATEST}?symbol=ALL`)).text.includes(newest));
    const { packet_freshness: freshness } = (await booted.keyed(`${LATEST}?symbol=ALL`)).json<{ packet_freshness: object }>();
    expect(freshness).toMatchObject({ symbols_without_packet: [ETH] });
    await booted.until(async () => (await booted.get('/readyz')).status === 200);
    expect(booted.gateway.streams.packets.newestMs(BTC)).toBe(endMs + 20_000);
  });
});
