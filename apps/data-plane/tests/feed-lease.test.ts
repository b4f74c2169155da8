import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { LEASE_MS, WRITE_MS } from '../src/feed/leases';
import { createFeedStateStore } from '../src/store/feed-state';
import { startTestFeed, type TestFeed } from './test-feed';

const logger = silentLogger();
const { signal } = new AbortController();
let stores: TestStores;
let pool: Pool;
let symbols = 0;
const closer = createCloser();
beforeAll(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger, applicationName: 'test' });
});
afterAll(async () => {
  await closer.close();
  await pool.end();
  await stores.stop();
});

const startFeed = (holder: string, nowMs?: number): TestFeed => startTestFeed(stores, closer, holder, nowMs);

/** Shifts the last renewal by the database's clock; negative: into the future. */
async function renewedAgo(symbol: string, ms: number): Promise<void> {
  await pool.query(`UPDATE feed_lease SET renewed_at = clock_timestamp() - $2 * interval '1 millisecond' WHERE symbol = $1`, [symbol, ms]);
}

const nextSymbol = (): string => `L${(symbols += 1)}USD-PERP`;

test("a lease is held by one, is another's at once when it is let go, under a higher fence, and the state of the log is written under that alone", async () => {
  const symbol = nextSymbol();
  const [one, two] = [startFeed('one:1'), startFeed('two:1')];
  const first = await one.leases.ask(symbol, signal);
  expect(first?.number).toBe(1);
  expect(await two.leases.ask(symbol, signal)).toBeUndefined();
  expect([one.held.has(symbol), two.held.has(symbol)]).toEqual([true, false]);
  await one.leases.release(symbol);
  expect(first?.lost.aborted).toBe(true);
  const second = await two.leases.ask(symbol, signal);
  expect(second?.number).toBe(2);

  const states = createFeedStateStore(stores.postgresUrl('data_plane'), logger);
  closer.add('states', () => states.close());
  const progress = { lastOrdinal: 0, lastFeedClockMs: 0, safeExchangeTsMs: 0, reservedOrdinal: 0, reservedFeedClockMs: 0 };
  const state = {
    symbol,
    epoch: 1,
    pass: 0,
    shiftMs: 0,
    passFirstOrdinal: 1,
    opening: 'first',
    openingStartMs: 0,
    recording: 'x',
    progress,
  } as const;
  await expect(states.begin(state, 1)).rejects.toThrow('no longer written under fence 1');
  await states.begin(state, 2);
  await expect(states.saveProgress(symbol, 1, { ...progress, lastOrdinal: 5 })).rejects.toThrow('fence 1');
  await states.saveProgress(symbol, 2, { ...progress, lastOrdinal: 7 });
  expect((await states.read(symbol))?.progress.lastOrdinal).toBe(7);
});

test("a holder that cannot renew writes no more before another takes the lease, and learns that it is another's", async () => {
  const symbol = nextSymbol();
  const [one, two] = [startFeed('one:2', 0), startFeed('two:2')];
  const first = await one.leases.ask(symbol, signal);
  if (first === undefined) throw new Error('not held');
  one.away = true;
  // An aborted signal makes the check immediate.
  const mayWrite = () => first.untilSure(AbortSignal.abort());
  one.nowMs = WRITE_MS - 1;
  await mayWrite();
  one.nowMs = WRITE_MS;
  await expect(mayWrite()).rejects.toThrow();
  expect(WRITE_MS).toBeLessThan(LEASE_MS);
  await renewedAgo(symbol, -3_600_000);
  expect(await two.leases.ask(symbol, signal)).toBeUndefined();
  // A renewal in flight may still arrive.
  const second = await waitUntil('the lease taken', async () => {
    await renewedAgo(symbol, LEASE_MS);
    return two.leases.ask(symbol, signal);
  });
  expect(second.number).toBe(2);
  one.away = false;
  // The next renewal is due.
  one.nowMs = 2 * WRITE_MS;
  await waitUntil('the loss', () => first.lost.aborted);
  await expect(first.untilSure(signal)).rejects.toThrow('another feed has taken over');
  expect(one.held.has(symbol)).toBe(false);
});

test('a process that comes in the place of a dead one leaves its lease to one that stands by, and takes it at once where there is none', async () => {
  const [symbol, lonely] = [nextSymbol(), nextSymbol()];
  const dead = startFeed('host:7000');
  expect((await dead.leases.ask(symbol, signal))?.number).toBe(1);
  expect((await dead.leases.ask(lonely, signal))?.number).toBe(1);
  dead.away = true;
  // Prevents expiry during the test.
  for (const each of [symbol, lonely]) await renewedAgo(each, -3_600_000);
  const standby = startFeed('host:7001');
  expect(await standby.leases.ask(symbol, signal)).toBeUndefined();
  const next = startFeed('host:7000', 0);
  const waiting = (async () => {
    for (;;) {
      const fence = await standby.leases.ask(symbol, signal);
      if (fence !== undefined) return fence;
    }
  })();
  const requested = Promise.all([next.leases.ask(lonely, signal), next.leases.ask(symbol, signal)]);
  expect((await waiting).number).toBe(2);
  next.nowMs = 1_000;
  const [lonelyFence, own] = await requested;
  expect([lonelyFence?.number, own]).toEqual([2, undefined]);
});

test('the fence of a log that has seen more than the database knows is outrun', async () => {
  const symbol = nextSymbol();
  const feed = startFeed('host:7002');
  await feed.leases.ask(symbol, signal);
  await feed.leases.release(symbol, 40);
  expect((await feed.leases.ask(symbol, signal))?.number).toBe(41);
});
