import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import type { TestStores } from '@market-state/testing';
import { type Leases, startLeases, type LeaseStore } from '../src/feed/leases';
import { createLeaseStore } from '../src/store/feed-state';

export interface TestFeed {
  readonly leases: Leases;
  readonly held: Set<string>;
  away: boolean;
  /** Fixed unless the test changes it; undefined: process clock. */
  nowMs: number | undefined;
}

/** A feed's leases with a database that can be cut off and an optional test clock. */
export function startTestFeed(stores: TestStores, closer: Closer, holder: string, nowMs?: number): TestFeed {
  const logger = silentLogger();
  const store = createLeaseStore(stores.postgresUrl('data_plane'), logger);
  const held = new Set<string>();
  const feed: Omit<TestFeed, 'leases'> = { away: false, nowMs, held };
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
    monotonicMs: () => feed.nowMs ?? performance.now(),
    onLeaseChange: (symbol, isHeld) => void (isHeld ? held.add(symbol) : held.delete(symbol)),
  });
  closer.add(`store of ${holder}`, () => store.close());
  closer.add(holder, () => leases.close());
  return Object.assign(feed, { leases });
}
