import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { MarketEvent } from '@market-state/market-data';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { CHANNELS, VENUE } from './stand-in/live-market';
import { MarketEvents } from './stand-in/market-events';
import { packetRecord } from './stand-in/packet-record';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const nowMs = lastWindowEndMs() + 5_000;
const newestEndMs = lastWindowEndMs(nowMs);
const ends = Array.from({ length: 120 }, (_end, index) => newestEndMs - (119 - index) * 10_000);
const idAt = (endMs = 0): string => `evt_${SYMBOL}_${endMs}`;
const OLD = idAt(ends[40]);
const EVENT_READS = [`${BASE}/packets/${OLD}/workbench`, `${BASE}/postmortems/${OLD}`];
const NEWEST_READS = ['/replay?limit=10', '/history?limit=60', '/events/search?limit=10'].map((path) => `${BASE}${path}&symbol=${SYMBOL}`);
const READS = [...EVENT_READS, ...NEWEST_READS];

describe('answers about the past', () => {
  let booted: BootedGateway;
  let aheadMs = 0;
  const events = new MarketEvents(SYMBOL);
  const requested = (): number => booted.dataPlane.requestIds().length + booted.labeling.unaryTotal();
  const at = <Event extends MarketEvent>(event: Event, exchangeTsMs: number, receivedTsMs = nowMs): Event => ({
    ...event,
    exchangeTsMs,
    receivedTsMs,
  });

  async function questionsOf(path: string): Promise<number> {
    const before = requested();
    expect((await booted.keyed(path)).status).toBe(200);
    return requested() - before;
  }

  /** Advances the clock of ages, and waits for the data plane's next message. */
  async function pass(ms: number): Promise<void> {
    aheadMs += ms;
    await booted.until(async () => {
      const before = booted.dataPlane.requestIds().length;
      await booted.keyed(`/api/public/data/book/l2/latest?symbol=${SYMBOL}`);
      return booted.dataPlane.requestIds().length === before;
    });
  }

  /** Reads until the answer is cached in every encoding. */
  async function untilCached(path: string): Promise<void> {
    await booted.keyed(path);
    await pass(2_500);
    await booted.until(async () => (await questionsOf(path)) === 0);
  }

  beforeAll(async () => {
    booted = await bootGateway({ now: () => nowMs, packets: false, monotonicMs: () => performance.now() + aheadMs });
    for (const endMs of ends) booted.labeling.push(packetRecord(SYMBOL, endMs));
    const market = booted.dataPlane.markets.open(SYMBOL, VENUE);
    market.apply(at(events.connected(CHANNELS), nowMs));
    for (const event of [events.book(100), events.trade(100), events.context({ markPrice: '100' })]) market.apply(at(event, nowMs));
    await pass(0);
    booted.dataPlane.markets.readLedger(SYMBOL);
    await booted.until(() => booted.dataPlane.markets.followerTotal() > 0);
  });
  afterAll(() => booted.close());

  it('are the same bytes from what is kept, in every coding, for every key, at the same price', async () => {
    for (const path of READS) {
      const made = await booted.keyed(path);
      await untilCached(path);
      const kept = await booted.keyed(path);
      expect(kept.text).toBe(made.text);
      const before = requested();
      const coded = await Promise.all(['gzip', 'br'].map((coding) => booted.keyed(path, { headers: { 'accept-encoding': coding } })));
      expect(gunzipSync(coded[0]?.bytes ?? '').equals(kept.bytes)).toBe(true);
      expect(brotliDecompressSync(coded[1]?.bytes ?? '').equals(kept.bytes)).toBe(true);
      const other = booted.account.issue({}, 'live');
      const theirs = await booted.get(path, { headers: { 'x-market-state-api-key': other } });
      expect(theirs.bytes.equals(kept.bytes)).toBe(true);
      const unchanged = await booted.keyed(path, { headers: { 'if-none-match': String(kept.headers['etag']) } });
      expect(unchanged.status).toBe(304);
      expect(requested()).toBe(before);
      expect(chargeOf(kept)).toEqual(chargeOf(made));
      expect(Object.keys(kept.headers).sort()).toEqual(Object.keys(made.headers).sort());
    }
  });

  it('count towards their bound with the bytes of every coding', async () => {
    const [path = ''] = EVENT_READS;
    await untilCached(path);
    const sizes = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (coding) => (await booted.keyed(path, { headers: { 'accept-encoding': coding } })).bytes.length),
    );
    const metrics = await booted.gateway.metrics.registry.metrics();
    const counted = Number(/^past_answers_kept_bytes\S* (\d+)$/m.exec(metrics)?.[1]);
    expect(counted).toBeGreaterThan(sizes.reduce((sum, size) => sum + size, 0));
  });

  it('are computed again when the ledger has another gap, when rows came late, and after a minute', async () => {
    const [path = ''] = EVENT_READS;
    const { markets } = booted.dataPlane;
    await untilCached(path);
    markets.report(at(events.gap('gap_1'), nowMs));
    await booted.until(async () => (await questionsOf(path)) > 0);
    markets.readLedger(SYMBOL);
    await untilCached(path);
    markets.report(at(events.trade(101), nowMs - 1_000));
    markets.report(at(events.trade(102), nowMs - 6_000));
    await booted.until(async () => (await questionsOf(path)) > 0);
    await untilCached(path);
    // Real time passes too; the rest of the minute is more than a busy machine takes. The gateway's own calls count as
    // questions too, so the first look may see one; an answer computed again here would still be cached after the minute.
    await pass(40_000);
    await booted.until(async () => (await questionsOf(path)) === 0);
    await pass(20_000);
    expect(await questionsOf(path)).toBeGreaterThan(0);
  });

  it('up to the newest packet are computed again with the next one, those of an event are not', async () => {
    for (const path of READS) await untilCached(path);
    booted.labeling.push(packetRecord(SYMBOL, newestEndMs + 10_000));
    const [path = ''] = NEWEST_READS;
    await booted.until(async () => (await questionsOf(path)) > 0);
    for (const newest of NEWEST_READS) expect(await questionsOf(newest)).toBeGreaterThan(0);
    for (const event of EVENT_READS) expect(await questionsOf(event)).toBe(0);
  });

  it('are not cached for an event that is still fresh, without change notifications, or for a sandbox key', async () => {
    const fresh = `${BASE}/packets/${idAt(newestEndMs)}/workbench`;
    await questionsOf(fresh);
    await pass(5_000);
    expect(await questionsOf(fresh)).toBeGreaterThan(0);
    expect(await questionsOf(fresh)).toBeGreaterThan(0);

    const [path = ''] = EVENT_READS;
    await untilCached(path);
    const key = booted.account.issue({}, 'test');
    const before = requested();
    await booted.get(path, { headers: { 'x-market-state-api-key': key } });
    expect(requested()).toBeGreaterThan(before);
    booted.dataPlane.markets.setCut(true);
    await booted.until(async () => (await questionsOf(path)) > 0);
    booted.dataPlane.markets.setCut(false);
  });
});

function chargeOf({ headers }: RawResponse): unknown {
  return Object.entries(headers).filter(([name]) => name.startsWith('x-credits') && !name.endsWith('remaining'));
}
