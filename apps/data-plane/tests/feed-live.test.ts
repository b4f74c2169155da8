import { streamKey } from '@market-state/event-log';
import type { FeedStatus, FeedStatusEvent, MarketEvent } from '@market-state/market-data';
import { testRpcVariables, waitUntil } from '@market-state/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { readRecorderConfig } from '../src/config';
import type { RunningFeed } from '../src/feed/start-feed';
import { startRecorder } from '../src/recorder/start-recorder';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { type StandInVenue, startStandInVenue } from './stand-in-venue';

const symbol = 'SIMUSD-PERP';
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
  return harness.start([], { FEED: 'simulated', SYMBOLS: symbol, FEED_SPEED: '1', SIMULATED_VENUE_ADDRESS: venue.address });
}

async function untilConnections(count: number): Promise<void> {
  await waitUntil(`connection ${count}`, async () => (await statuses('connected')).length >= count);
}

async function statuses(type: FeedStatusEvent['status']['type']): Promise<FeedStatusEvent[]> {
  return (await harness.events(symbol)).filter(
    (event): event is FeedStatusEvent => event.kind === 'feed_status' && event.status.type === type,
  );
}

async function untilLogged(what: string, predicate: (event: MarketEvent) => boolean): Promise<void> {
  await waitUntil(what, async () => (await harness.events(symbol)).some(predicate));
}

/** Resolves once the book and trades are logged. */
async function trade(...tids: readonly number[]): Promise<void> {
  venue.book(Date.now());
  venue.trade(Date.now(), ...tids);
  const last = String(tids.at(-1));
  await untilLogged(`trade ${last}`, ({ kind, venueId }) => kind === 'trade' && venueId === last);
}

function idsOf(events: readonly MarketEvent[]): string[] {
  return events.filter(({ kind }) => kind === 'trade').map(({ venueId }) => venueId);
}

/** Invariants of every log: contiguous ordinals within an epoch, a monotonic clock, pass 0, no crossed book. */
function expectLawful(events: readonly MarketEvent[]): void {
  events.forEach((event, at) => {
    const before = events[at - 1];
    expect(event.pass).toBe(0);
    if (before === undefined) return;
    expect(event.receivedTsMs).toBeGreaterThanOrEqual(before.receivedTsMs);
    if (event.epoch === before.epoch) expect(event.ordinal).toBe(before.ordinal + 1);
    else expect(event.ordinal).toBeGreaterThan(before.ordinal);
  });
  for (const event of events)
    if (event.kind === 'book') expect(Number(event.bids[0]?.price)).toBeLessThanOrEqual(Number(event.asks[0]?.price));
}

test('a live symbol is logged with its own facts, ticked by the wall clock, and served; the process publishes its instrument', async () => {
  const feed = await start();
  await untilConnections(1);
  await trade(1, 2);
  await untilLogged('a tick', ({ kind }) => kind === 'tick');
  const events = await harness.events(symbol);
  expectLawful(events);
  expect(events[0]).toMatchObject({
    ordinal: 1,
    epoch: 1,
    status: { type: 'connected', sourceKind: 'simulated', channels: ['book', 'trade', 'context', 'liquidation'] },
  });
  expect(feed.snapshot(symbol)).toMatchObject({
    phase: 'playing',
    pass: 0,
    view: { syncState: 'in_sync', book: { event: { venue: 'simulated' } } },
  });
});

test('a connection that is cut leaves one gap, which trades that overlap end as resynced; nothing is logged twice', async () => {
  await start();
  await untilConnections(1);
  await trade(1, 2);
  venue.refuse(true);
  venue.cut();
  await waitUntil('the disconnection', async () => (await statuses('disconnected')).length === 1);
  venue.trade(Date.now(), 3);
  venue.refuse(false);
  await untilConnections(2);
  await trade(4);
  await untilLogged('the end of the gap', (event) => event.kind === 'feed_status' && event.status.type === 'resynced');
  const events = await harness.events(symbol);
  expectLawful(events);
  expect(idsOf(events)).toEqual(['1', '2', '3', '4']);
  expect(await statuses('disconnected')).toHaveLength(1);
  const [gap, end] = [...(await statuses('gap')), ...(await statuses('resynced'))].map(({ status }) => status);
  expect(gap).toMatchObject({ type: 'gap', reason: 'disconnected', endMs: 0 });
  expect(gap).not.toHaveProperty('channel', expect.anything());
  expect(end).toMatchObject({ type: 'resynced', gapId: (gap as { gapId: string }).gapId });
});

test('a restarted feed reports its downtime as a gap, and logs no trade of a backlog twice', async () => {
  const feed = await start();
  await untilConnections(1);
  await trade(1, 2);
  await feed.close();
  await start();
  await untilConnections(2);
  await trade(1, 2, 3);
  await untilLogged('the end of the gap', (event) => event.kind === 'feed_status' && event.status.type === 'resynced');
  const events = await harness.events(symbol);
  expectLawful(events);
  expect(idsOf(events)).toEqual(['1', '2', '3']);
  expect((await statuses('gap')).map(({ status }) => status)).toMatchObject([{ reason: 'feed_down', endMs: 0 }]);
});

test('a feed that starts again catches up from what its log knows: payments of the time it was away, each once', async () => {
  const hourOf = (ms: number): number => Math.floor(ms / 3_600_000) * 3_600_000;
  const startedMs = Date.now();
  const feed = await start();
  await untilConnections(1);
  await trade(1);
  expect(venue.paymentsSince).toEqual([]);
  await feed.close();
  const paidMs = Date.now();
  venue.payment(paidMs);
  const isPayment = ({ kind, venueId }: MarketEvent): boolean => kind === 'context' && venueId === `funding-${paidMs}`;
  const again = await start();
  await untilLogged('the payment', isPayment);
  await again.close();
  await start();
  await waitUntil('the third question', () => venue.paymentsSince.length === 2);
  await trade(2);
  expect((await harness.events(symbol)).filter(isPayment)).toHaveLength(1);
  // Hour of the log's last data, which the test wrote itself.
  const hours = new Set([hourOf(startedMs), hourOf(Date.now())]);
  for (const sinceMs of venue.paymentsSince) expect(hours).toContain(sinceMs);
});

test('a connection that brings no trade known from before leaves a gap that nothing made up for', async () => {
  await start();
  await untilConnections(1);
  await trade(1, 2);
  venue.refuse(true);
  venue.cut();
  await waitUntil('the disconnection', async () => (await statuses('disconnected')).length === 1);
  venue.trade(Date.now(), ...Array.from({ length: 20 }, (_, at) => 100 + at));
  venue.refuse(false);
  await untilConnections(2);
  venue.book(Date.now());
  await waitUntil('the end of the gap', async () => (await statuses('gap')).length === 2);
  const [opened, ended] = (await statuses('gap')).map(({ status }) => status as Extract<FeedStatus, { type: 'gap' }>);
  expect(ended).toMatchObject({ gapId: opened?.gapId, startMs: opened?.startMs, reason: 'disconnected' });
  expect(ended?.endMs).toBeGreaterThan(opened?.startMs ?? Infinity);
  expect(await statuses('resynced')).toHaveLength(0);
});

test('a Redis that is flushed while the feed runs begins a new epoch behind one gap; the connection to the venue stays, and the recorder goes on', async () => {
  const recorder = await startRecorder(
    readRecorderConfig({
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: harness.stores.postgresUrl('data_plane'),
      REDIS_URL: harness.stores.redisUrl,
      FEED: 'simulated',
      SYMBOLS: symbol,
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
    }),
  );
  const database = new Client({ connectionString: harness.stores.postgresUrl('data_plane') });
  await database.connect();
  await start();
  await untilConnections(1);
  await trade(1, 2);
  await waitUntil('trade 2 recorded', async () => (await database.query("SELECT 1 FROM log_entry WHERE venue_id = '2'")).rowCount === 1);
  const before = (await harness.events(symbol)).at(-1);
  expect(before?.epoch).toBe(1);
  const redis = new Redis(harness.stores.redisUrl);
  await redis.del(streamKey(symbol));
  redis.disconnect();
  await untilLogged('the new epoch', ({ epoch }) => epoch === 2);
  await trade(3);
  const events = (await harness.events(symbol)).filter(({ epoch }) => epoch === 2);
  expectLawful(events);
  expect(events[0]?.ordinal).toBeGreaterThan(before?.ordinal ?? Infinity);
  expect(events.slice(0, 2)).toMatchObject([{ status: { type: 'gap', reason: 'log_lost' } }, { status: { type: 'connected' } }]);
  expect(await statuses('gap')).toHaveLength(1);
  expect(idsOf(events)).toEqual(['3']);
  expect(venue.connections()).toBe(1);
  const trades = async () =>
    (await database.query<{ venue_id: string }>("SELECT venue_id FROM log_entry WHERE channel = 'trade' ORDER BY ordinal")).rows.map(
      ({ venue_id: id }) => id,
    );
  await waitUntil('trade 3 recorded', async () => (await trades()).includes('3'));
  expect(await trades()).toEqual(['1', '2', '3']);
  const { rows: ledger } = await database.query<{ reason: string }>('SELECT reason FROM gap');
  expect(ledger.map(({ reason }) => reason)).toEqual(['log_lost']);
  await database.end();
  await recorder.close();
});

test('garbage is counted by its reason and stops nothing', async () => {
  const feed = await start();
  await untilConnections(1);
  for (const garbage of [
    '{',
    'null',
    '{"channel":"l2Book","data":{"coin":"SIM","time":"x","levels":[]}}',
    '{"channel":"trades","data":[{"coin":"SIM","side":"B","px":"NaN","sz":"1","time":1,"hash":"","tid":9,"users":[]}]}',
  ])
    venue.send(garbage);
  venue.book(Date.now(), '102', '101');
  await trade(1);
  const rejected = () => feed.snapshot(symbol)?.rejectedTotal ?? {};
  // The log has the trade before its writer learns of it.
  await waitUntil('four reasons', async () => Object.keys(rejected()).length >= 4);
  expect(rejected()).toMatchObject({ broken_json: 2, unknown_message: 1, bad_price: 1, crossed_book: 1 });
  expectLawful(await harness.events(symbol));
});

test('a Redis outage: data received during it is logged in order afterwards, and nothing is reported as missing', async () => {
  const feed = await start();
  await untilConnections(1);
  await trade(1);
  const redis = new Redis(harness.stores.redisUrl);
  await redis.call('CLIENT', 'PAUSE', '1500', 'ALL');
  venue.trade(Date.now(), 2);
  venue.book(Date.now());
  venue.trade(Date.now(), 3);
  await untilLogged('trade 3', ({ venueId }) => venueId === '3');
  redis.disconnect();
  const events = await harness.events(symbol);
  expectLawful(events);
  expect(idsOf(events)).toEqual(['1', '2', '3']);
  expect(await statuses('gap')).toHaveLength(0);
  expect(feed.snapshot(symbol)?.epoch).toBe(1);
});
