import { createCloser } from '@market-state/lifecycle';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { LEASE_MS } from '../src/feed/leases';
import { startTestFeed, type TestFeed } from './test-feed';

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

const startFeed = (holder: string): TestFeed => startTestFeed(stores, closer, holder);

const nextSymbol = (): string => `L${(symbols += 1)}USD-PERP`;

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
  const takenAtMs = performance.now();
  expect(second.number).toBe(2);
  expect(takenAtMs - sureMs).toBeGreaterThan(500);
  expect(takenAtMs - awaySinceMs).toBeGreaterThan(LEASE_MS - 1_100);
  one.away = false;
  await waitUntil('the loss', () => first.lost.aborted, 5_000);
  expect(await watching).toBe('another feed has taken over');
  expect(one.held.has(symbol)).toBe(false);
});
