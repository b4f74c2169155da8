import { feed as contract, health as healthContract } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { instrumentOf, inverseSize } from '@market-state/market-data';
import { testPeer, waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { createManualClock } from './manual-clock';
import type { RunningFeed } from '../src/feed/start-feed';
import { shortRecording } from './short-recording';

const btc = shortRecording('BTCUSD-PERP', 6_000);
const silent = shortRecording('ETHUSD-PERP', 3);
const clock = createManualClock(Date.UTC(2030, 0, 1));

let harness: FeedHarness;
let feed: RunningFeed;
let client: GrpcClient<contract.FeedServiceService>;

beforeAll(async () => {
  harness = await startFeedHarness();
  feed = await harness.start([btc, silent], { FEED_SPEED: '1' }, { clock });
  await clock.untilWaiting(2);
  clock.advance(5_000);
  await clock.untilWaiting(2);
  client = createClient({ definition: contract.FeedServiceService, peer: testPeer('data-plane-feed'), address: feed.address });
});
afterAll(async () => {
  await client.close();
  await harness.stop();
  [btc, silent].forEach((recording) => recording.remove());
});

test('the deep book begins with the levels of the last book in the log and has up to 1,000 a side, contracts and coin exact', async () => {
  const answer = await client.call.getDeepBook({ symbol: btc.symbol, depth: 1_000 });
  const last = (await harness.events(btc.symbol)).findLast(({ kind }) => kind === 'book');
  if (last?.kind !== 'book') throw new Error('no book in the log');
  expect(answer).toMatchObject({
    pass: 1,
    venueId: last.venueId,
    exchangeTsMs: last.exchangeTsMs,
    receivedTsMs: last.receivedTsMs,
    syncState: 'in_sync',
  });
  expect(answer.bids.slice(0, 25)).toEqual(last.bids);
  expect(answer.asks.slice(0, 25)).toEqual(last.asks);
  expect(Math.min(answer.bids.length, answer.asks.length)).toBeGreaterThan(900);
  expect(Math.max(answer.bids.length, answer.asks.length)).toBeLessThanOrEqual(1_000);
  const { contractValue } = instrumentOf(btc.symbol);
  for (const level of [...answer.bids, ...answer.asks]) expect(level.size).toBe(inverseSize(level.venueSize, contractValue, level.price));
  const prices = answer.bids.map(({ price }) => Number(price));
  expect(prices).toEqual([...prices].sort((a, b) => b - a));
});

test('depth counts levels a side', async () => {
  const answer = await client.call.getDeepBook({ symbol: btc.symbol, depth: 3 });
  expect([answer.bids.length, answer.asks.length]).toEqual([3, 3]);
});

test.each([0, 1_001])('depth %i is refused as a fault of the field', async (depth) => {
  await expect(client.call.getDeepBook({ symbol: btc.symbol, depth })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    faults: [{ field: 'depth' }],
  });
});

test('a symbol not played is refused with those that are', async () => {
  await expect(client.call.getDeepBook({ symbol: 'DOGEUSD-PERP', depth: 1 })).rejects.toMatchObject({
    reason: 'unknown_symbol',
    metadata: { symbols: 'BTCUSD-PERP,ETHUSD-PERP' },
  });
});

test('before the first snapshot there is no book', async () => {
  await expect(client.call.getDeepBook({ symbol: silent.symbol, depth: 1 })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'book_not_available',
  });
});

test('the state of each symbol is where its log is', async () => {
  const { symbols, startedMs } = await client.call.getFeedState({});
  expect(startedMs).toBe(Date.UTC(2030, 0, 1));
  expect(symbols.map(({ symbol }) => symbol)).toEqual([btc.symbol, silent.symbol]);
  for (const state of symbols) {
    const last = (await harness.events(state.symbol)).at(-1);
    expect(state).toMatchObject({ phase: 'playing', pass: 1, epoch: 1, lastOrdinal: last?.ordinal, feedClockMs: last?.receivedTsMs });
  }
});

test('health and readiness name the stores and each symbol that plays', async () => {
  const health = createClient({ definition: healthContract.HealthService, peer: testPeer('data-plane-feed'), address: feed.address });
  for (const service of ['', 'postgres', 'event_log', btc.symbol, silent.symbol]) {
    await waitUntil(
      `${service} serving`,
      async () => (await health.call.check({ service })).status === healthContract.HealthCheckResponse_ServingStatus.SERVING,
    );
  }
  await health.close();
  const ready = await fetch(`http://127.0.0.1:${feed.opsPort}/readyz`);
  expect(await ready.json()).toEqual({
    ready: true,
    checks: { postgres: true, event_log: true, [btc.symbol]: true, [silent.symbol]: true },
  });
});

test('metrics count what was appended by channel', async () => {
  const text = await (await fetch(`http://127.0.0.1:${feed.opsPort}/metrics`)).text();
  const books = (await harness.events(btc.symbol)).filter(({ kind }) => kind === 'book').length;
  expect(text).toContain(`feed_entries_appended_total{symbol="${btc.symbol}",channel="book",service="data-plane-feed"} ${books}`);
  expect(text).toContain(`feed_phase{symbol="${btc.symbol}",phase="playing",service="data-plane-feed"} 1`);
});
