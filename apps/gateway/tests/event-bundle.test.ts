import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { LOG_START_MS } from './stand-in/made-rows';
import { packetRecord } from './stand-in/packet-record';

const SYMBOL = 'BTCUSD-PERP';
const TENANT = 'ten_1';
const newestEndMs = lastWindowEndMs();
const nowMs = newestEndMs + 5_000;
const oldEndMs = newestEndMs - 1_200_000;
const routeOf = (endMs: number): string => `/api/public/market-state/events/evt_${SYMBOL}_${endMs}/bundle`;
const ROUTE = routeOf(newestEndMs);

describe('the bundle of an event', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ now: () => nowMs, packets: false });
    for (const endMs of [oldEndMs, newestEndMs]) booted.labeling.store(packetRecord(SYMBOL, endMs));
    booted.account.credits.grant(TENANT, 1_000);
  });
  afterEach(() => {
    booted.dataPlane.setLog('whole');
    booted.labeling.setCheckpointEntries(3);
  });
  afterAll(() => booted.close());

  const load = (headers: Readonly<Record<string, string>> = {}, route = ROUTE): Promise<RawResponse> => booted.keyed(route, { headers });

  it('is a gzip file of the checkpoint, the entries since and the packets, with its length and digest', async () => {
    const { status, headers, bytes } = await load();
    expect([status, headers['content-type'], headers['accept-ranges']]).toEqual([200, 'application/gzip', 'none']);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers['content-disposition']).toBe(`attachment; filename="evt_${SYMBOL}_${newestEndMs}.ndjson.gz"`);
    const sha256 = createHash('sha256').update(bytes).digest();
    expect(headers['etag']).toBe(`"${sha256.toString('hex')}"`);
    expect(headers['repr-digest']).toBe(`sha-256=:${sha256.toString('base64')}:`);
    const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { schema: string }).schema)).toEqual([
      'market_state_checkpoint.v1',
      ...Array.from({ length: 3 }, () => 'market_state_row.v1'),
      'market_state_packet_row.v1',
    ]);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event_id: `evt_${SYMBOL}_${newestEndMs}` });
  });

  it('is the same file each time, 304 for a cached copy, and whole even for a range', async () => {
    const first = await load();
    expect((await load({ 'if-none-match': String(first.headers['etag']) })).status).toBe(304);
    const ranged = await load({ range: 'bytes=0-9' });
    expect([ranged.status, ranged.bytes.equals(first.bytes)]).toEqual([200, true]);
  });

  it('is refused by a bound below the cost of 50,000 entries, and costs 2 credits plus 1 per thousand entries or part of it', async () => {
    expect((await load({ 'x-max-credits': '51' })).json()).toMatchObject({ code: 'quote_exceeded' });
    for (const [entryTotal, credits] of [
      [3, '3'],
      [1_000, '3'],
      [2_001, '5'],
    ] as const) {
      booted.labeling.setCheckpointEntries(entryTotal);
      const { status, headers } = await load({ 'x-max-credits': '52' });
      expect([entryTotal, status, headers['x-credits-charged']]).toEqual([entryTotal, 200, credits]);
    }
  });

  it('is refused, at no cost, where it cannot be whole', async () => {
    const refused = async (status: number, code: string, route = ROUTE): Promise<RawResponse> => {
      const response = await load({}, route);
      expect(response.status).toBe(status);
      expect(response.json()).toMatchObject(status === 422 ? {} : { code });
      expect(response.headers['x-credits-charged']).toBe('0');
      return response;
    };
    await refused(404, 'not_found', routeOf(newestEndMs + 10_000));
    const oldest = { oldest_available_utc: new Date(LOG_START_MS).toISOString() };
    booted.dataPlane.setLog('gone');
    expect((await refused(410, 'beyond_retention')).json()).toMatchObject(oldest);
    booted.dataPlane.setLog('awaited');
    expect((await refused(503, 'upstream_unavailable')).headers['retry-after']).toBe('1');
    booted.labeling.setCheckpointEntries(2_000);
    booted.dataPlane.setLog('breaking');
    await refused(503, 'upstream_unavailable');
    booted.dataPlane.setLog('whole');
    booted.labeling.setCheckpointEntries(50_001);
    expect((await refused(422, '')).json()).toMatchObject({ detail: [{ loc: ['path', 'event_id'], type: 'result_too_large' }] });
    booted.labeling.setCheckpointEntries(null);
    expect((await refused(410, 'beyond_retention')).json()).toMatchObject(oldest);
  });

  it('gives a sandbox key the events of ten minutes ago, and no entry that is younger', async () => {
    const headers = { 'x-market-state-api-key': booted.account.issue({}, 'test') };
    expect((await booted.get(ROUTE, { headers })).status).toBe(404);
    expect((await booted.get(routeOf(oldEndMs), { headers })).status).toBe(200);
    booted.dataPlane.setLog('young');
    expect((await booted.get(routeOf(oldEndMs), { headers })).status).toBe(503);
  });

  it('ends its calls and costs nothing when its caller goes', async () => {
    // Separate tenant: charges of earlier calls may still be in flight.
    const tenantId = 'ten_leaving';
    booted.account.credits.grant(tenantId, 1_000);
    const headers = { 'x-market-state-api-key': booted.account.issue({ tenantId }) };
    booted.dataPlane.setHanging(true);
    const sent = request(booted.gateway.url + ROUTE, { headers, agent: false });
    sent.on('error', () => undefined);
    sent.end();
    await booted.until(() => booted.dataPlane.waitingTotal() === 1);
    sent.destroy();
    await booted.until(() => booted.dataPlane.waitingTotal() === 0);
    booted.dataPlane.setHanging(false);
    expect((await booted.get(ROUTE, { headers })).headers['x-credits-charged']).toBe('3');
    await booted.until(() => booted.account.credits.spent(tenantId) > 0);
    expect(booted.account.credits.spent(tenantId)).toBe(3);
  });
});
