import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { LEASE_MS, type Leases, startLeases } from '../src/feed/lease/leases';
import type { LeaseStore } from '../src/feed/lease/lease-store';
import { createLeaseStore } from '../src/store/feed-lease';
import { createFeedStateStore } from '../src/store/feed-state';

const logger = silentLogger();
const { signal } = new AbortController();
let stores: TestStores;
let symbols = 0;
const closer = createCloser();
beforeAll(async () => {
  stores = await startStores({ services: ['data_plane'] });
});
afterAll(async () => {
  await closer.close();
  await stores.stop();
});

/** A feed's leases, whose database can be out of reach and whose clock can be ahead. */
function startFeed(holder: string): { readonly leases: Leases; readonly held: Set<string>; away: boolean; aheadMs: number } {
  const store = createLeaseStore(stores.postgresUrl('data_plane'), logger);
  const held = new Set<string>();
  const feed = { away: false, aheadMs: 0, held };
  const reached = <T>(work: Promise<T>): Promise<T> => (feed.away ? Promise.reject(new Error('the database is away')) : work);
  const guarded: LeaseStore = {
    take: (above, by) => reached(Promise.resolve()).then(() => store.take(above, by)),
    inherit: (inherited, by) => reached(Promise.resolve()).then(() => store.inherit(inherited, by)),
    renew: (fences, by) => reached(Promise.resolve()).then(() => store.renew(fences, by)),
    release: (symbol, fence, by) => reached(Promise.resolve()).then(() => store.release(symbol, fence, by)),
  };
  const leases = startLeases({
    store: guarded,
    holder,
    logger,
    monotonicMs: () => performance.now() + feed.aheadMs,
    onHeld: (symbol, isHeld) => void (isHeld ? held.add(symbol) : held.delete(symbol)),
  });
  closer.add(`store of ${holder}`, () => store.close());
  closer.add(holder, () => leases.close());
  return Object.assign(feed, { leases });
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
  await expect(states.begin(state, 1)).rejects.toThrow('not written under fence 1');
  await states.begin(state, 2);
  await expect(states.saveProgress(symbol, 1, { ...progress, lastOrdinal: 5 })).rejects.toThrow('fence 1');
  await states.saveProgress(symbol, 2, { ...progress, lastOrdinal: 7 });
  expect((await states.read(symbol))?.progress.lastOrdinal).toBe(7);
});

test("a holder that cannot renew writes no more before another takes the lease, and learns that it is another's", async () => {
  const symbol = nextSymbol();
  const [one, two] = [startFeed('one:2'), startFeed('two:2')];
  const first = await one.leases.ask(symbol, signal);
  if (first === undefined) throw new Error('not held');
  await first.untilSure(signal);
  one.away = true;
  const awaySinceMs = performance.now();
  let sureMs = 0;
  const watching = (async () => {
    for (;;) {
      await first.untilSure(signal);
      sureMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })().catch((error: Error) => error.message);
  let second = await two.leases.ask(symbol, signal);
  for (; second === undefined; second = await two.leases.ask(symbol, signal));
  const takenMs = performance.now();
  expect(second.number).toBe(2);
  expect(takenMs - sureMs).toBeGreaterThan(500);
  expect(takenMs - awaySinceMs).toBeGreaterThan(LEASE_MS - 1_100);
  one.away = false;
  await waitUntil('the loss', () => first.lost.aborted, 5_000);
  expect(await watching).toBe('another feed has taken over');
  expect(one.held.has(symbol)).toBe(false);
});

test('a process that comes in the place of a dead one leaves its lease to one that stands by, and takes it at once where there is none', async () => {
  const [symbol, lonely] = [nextSymbol(), nextSymbol()];
  const dead = startFeed('host:7000');
  expect((await dead.leases.ask(symbol, signal))?.number).toBe(1);
  expect((await dead.leases.ask(lonely, signal))?.number).toBe(1);
  dead.away = true;
  const standby = startFeed('host:7001');
  expect(await standby.leases.ask(symbol, signal)).toBeUndefined();
  const startedMs = performance.now();
  const next = startFeed('host:7000');
  const waiting = (async () => {
    for (;;) {
      const fence = await standby.leases.ask(symbol, signal);
      if (fence !== undefined) return fence;
    }
  })();
  const [lonelyFence, own] = await Promise.all([next.leases.ask(lonely, signal), next.leases.ask(symbol, signal)]);
  expect([lonelyFence?.number, own]).toEqual([2, undefined]);
  expect((await waiting).number).toBe(2);
  expect(performance.now() - startedMs).toBeLessThan(LEASE_MS - 1_000);
});

test('the fence of a log that has seen more than the database knows is outrun', async () => {
  const symbol = nextSymbol();
  const feed = startFeed('host:7002');
  await feed.leases.ask(symbol, signal);
  await feed.leases.release(symbol, 40);
  expect((await feed.leases.ask(symbol, signal))?.number).toBe(41);
});
