import { setTimeout as delay } from 'node:timers/promises';
import type { MarketEvent } from '@market-state/market-data';
import { freePort, testRpcVariables, waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { buildFeed } from './feed-process';
import { type StandInVenue, startStandInVenue } from './stand-in-venue';

const killTotal = 4;
const symbol = 'SIMUSD-PERP';
const bundle = buildFeed();
let harness: FeedHarness;
let venue: StandInVenue;
beforeAll(async () => {
  [harness, venue] = await Promise.all([startFeedHarness(), startStandInVenue()]);
});
afterAll(async () => {
  await harness.stop();
  await venue.close();
  bundle.remove();
});

function tradesOf(events: readonly MarketEvent[]): number[] {
  return events.filter(({ kind }) => kind === 'trade').map(({ venueId }) => Number(venueId));
}

test(`killed ${killTotal} times during continuous trading, it logs each trade once and each absence as one gap`, async () => {
  const grpcAddress = `127.0.0.1:${await freePort()}`;
  let tid = 0;
  let isTrading = true;
  const market = (async () => {
    for (; isTrading; await delay(40)) {
      venue.book(Date.now());
      if (venue.connections() > 0) venue.trade(Date.now(), ++tid);
    }
  })();
  for (let kills = 0; kills <= killTotal; kills++) {
    const feed = bundle.start({
      ...testRpcVariables('data-plane-feed'),
      GRPC_ADDRESS: grpcAddress,
      DATABASE_URL: harness.stores.postgresUrl('data_plane'),
      REDIS_URL: harness.stores.redisUrl,
      FEED: 'simulated',
      FEED_CONSUMERS: 'none',
      SIMULATED_VENUE_ADDRESS: venue.address,
    });
    const goal = tid + 30;
    await waitUntil(`trade ${goal}`, async () => (tradesOf(await harness.events(symbol)).at(-1) ?? 0) >= goal).finally(() => feed.kill());
  }
  isTrading = false;
  await market;

  const events = await harness.events(symbol);
  expect(events.map(({ ordinal, epoch }) => [ordinal, epoch])).toEqual(events.map((_, index) => [index + 1, 1]));
  const clocks = events.map(({ receivedTsMs }) => receivedTsMs);
  expect(clocks).toEqual([...clocks].sort((a, b) => a - b));
  const logged = tradesOf(events);
  expect(new Set(logged).size).toBe(logged.length);
  expect(logged).toEqual([...logged].sort((a, b) => a - b));
  const gaps = events.flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'gap' ? [event.status] : []));
  const absences = new Map(gaps.map((gap) => [gap.gapId, gap]));
  expect([...absences.values()].map(({ reason }) => reason)).toEqual(Array.from({ length: killTotal }, () => 'feed_down'));
  const missing = Array.from({ length: logged.at(-1) ?? 0 }, (_, index) => index + 1).filter((id) => !logged.includes(id));
  const joined = events.filter((event) => event.kind === 'feed_status' && event.status.type === 'resynced').length;
  if (missing.length > 0) expect(joined).toBeLessThan(killTotal);
});
