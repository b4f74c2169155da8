import type { FeedStatusEvent } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import type { RunningFeed } from '../src/feed/start-feed';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { type StandInVenue, startStandInVenue } from './stand-in-venue';

const [btc, eth] = ['BTCUSD-PERP', 'ETHUSD-PERP'];
let harness: FeedHarness;
let venue: StandInVenue;
beforeEach(async () => {
  [harness, venue] = await Promise.all([startFeedHarness(), startStandInVenue()]);
});
afterEach(async () => {
  await harness.stop();
  await venue.close();
});

function start(): Promise<RunningFeed> {
  return harness.start([], {
    FEED: 'hyperliquid',
    SYMBOLS: `${btc},${eth}`,
    FEED_SPEED: '1',
    HYPERLIQUID_WS_URL: `ws://${venue.address}/ws`,
    HYPERLIQUID_REST_URL: `http://${venue.address}`,
  });
}

function sendBook(coin: string): void {
  const level = (px: string) => [{ px, sz: '1.5', n: 1 }];
  venue.send(JSON.stringify({ channel: 'l2Book', data: { coin, time: Date.now(), levels: [level('100'), level('101')] } }));
}

/** Resolves with the first logged book of the coin. */
async function untilBook(feed: RunningFeed, symbol: string, coin: string, afterMs = 0): Promise<void> {
  await waitUntil(`a book of ${symbol}`, () => {
    sendBook(coin);
    return (feed.snapshot(symbol)?.view.book?.event.exchangeTsMs ?? 0) > afterMs;
  });
}

async function statuses(symbol: string): Promise<FeedStatusEvent['status'][]> {
  return (await harness.events(symbol)).flatMap((event) => (event.kind === 'feed_status' ? [event.status] : []));
}

async function ops(feed: RunningFeed, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${feed.opsPort}/${path}`);
}

test('a coin that the venue does not list at the start stops no other: its gap, readyz and a metric say so', async () => {
  venue.list(['BTC']);
  const feed = await start();
  await untilBook(feed, btc, 'BTC');
  await waitUntil('the reason', () => feed.snapshot(eth)?.missing !== undefined);
  await waitUntil('the gap', async () => (await statuses(eth)).some(({ type }) => type === 'gap'));
  expect(await statuses(eth)).toMatchObject([
    { type: 'disconnected', reason: 'the venue does not list ETH' },
    { type: 'gap', reason: 'not_listed', endMs: 0 },
  ]);
  const readiness = await ops(feed, 'readyz');
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    {
      ready: true,
      checks: { postgres: true, event_log: true, [btc]: true, [eth]: false },
      reasons: { [eth]: 'the venue does not list ETH' },
    },
  ]);
  const missing = (await (await ops(feed, 'metrics')).text()).split('\n').filter((line) => line.startsWith('feed_instrument_missing'));
  expect(missing.map((line) => [/symbol="([^"]+)"/.exec(line)?.[1], line.at(-1)])).toEqual([
    [btc, '0'],
    [eth, '1'],
  ]);
});

test('a coin that leaves the metadata while the connection drops stays away with its reason, and comes back when it is listed again', async () => {
  venue.list(['BTC', 'ETH']);
  const feed = await start();
  await untilBook(feed, btc, 'BTC');
  await untilBook(feed, eth, 'ETH');
  venue.list(['BTC']);
  const lostMs = Date.now();
  venue.cut();
  await waitUntil('the reason', () => feed.snapshot(eth)?.missing !== undefined);
  await untilBook(feed, btc, 'BTC', lostMs);
  expect(feed.snapshot(btc)?.phase).toBe('playing');
  expect(feed.snapshot(eth)?.phase).not.toBe('playing');
  venue.list(['BTC', 'ETH']);
  venue.cut();
  await waitUntil('the connection', () => feed.snapshot(eth)?.missing === undefined);
  await untilBook(feed, eth, 'ETH', lostMs);
  const gaps = (await statuses(eth)).flatMap((status) =>
    status.type === 'gap' ? [`${status.reason} ${status.endMs === 0 ? 'open' : 'over'}`] : [],
  );
  expect(gaps).toEqual(['disconnected open', 'disconnected over', 'not_listed open']);
  expect((await statuses(btc)).some((status) => status.type === 'gap' && status.reason === 'not_listed')).toBe(false);
});
