import { marketData } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { testPeer, waitUntil } from '@market-state/testing';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, FEED_STARTED_MS, startDataPlaneSystem, type System } from './rpc-harness';

const BAD_SYMBOL = 'btcusd';
const OTHER_SYMBOL = 'DOGEUSD-PERP';
let system: System;

beforeAll(async () => {
  system = await startDataPlaneSystem();
});

afterAll(() => system.close());

const fixture = new LogFixture();

test('before anything was seen: no book, no trades, every channel missing, no candles', async () => {
  const { call } = system;
  expect(await failureOf(call.getBook({ symbol: SYMBOL, depth: 1 }))).toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'book_not_available',
  });
  expect((await call.listTrades({ symbol: SYMBOL, limit: 5 })).trades).toEqual([]);
  const { channels, feedClockMs } = await call.getFreshness({ symbol: SYMBOL });
  expect(feedClockMs).toBe(0);
  expect(channels.map(({ state }) => state)).toEqual(Array(4).fill(marketData.FreshnessState.MISSING));
  const candles = await call.listCandles({ symbol: SYMBOL, fromMs: 0, toMs: 0, pageSize: 0, pageToken: '', intervalMs: 60_000, asOfMs: 0 });
  expect([candles.candles, candles.nextPageToken]).toEqual([[], '']);
});

test('instruments carry what the venue reports', async () => {
  await system.play(fixture.connected(START_MS).tick(START_MS));
  expect(await system.call.listInstruments({})).toEqual({
    instruments: [
      {
        symbol: SYMBOL,
        venue: 'binance-coinm',
        venueInstrument: 'BTCUSD_PERP',
        contractValue: '100',
        sourceKind: marketData.SourceKind.RECORDED,
        channels: [marketData.Channel.BOOK, marketData.Channel.TRADE],
      },
    ],
  });
});

test('trades come newest first by exchange time, pass and venue id, also when one came late', async () => {
  await system.play(
    fixture
      .trade(START_MS + 100, '9', '100', '1')
      .trade(START_MS + 300, '11', '102', '1', 1, 'sell')
      .trade(START_MS + 200, '10', '101', '0.5')
      .trade(START_MS + 300, '2', '103', '1', 2)
      .tick(START_MS + 500),
  );
  const { trades, freshnessMs, stalenessLimitMs, venue, sourceKind } = await system.call.listTrades({ symbol: SYMBOL, limit: 3 });
  expect(trades.map(({ pass, venueId }) => [pass, venueId])).toEqual([
    [2, '2'],
    [1, '11'],
    [1, '10'],
  ]);
  expect(trades[1]).toEqual({
    tradeId: '1:11',
    price: '102',
    size: '1',
    venueSize: '3',
    aggressorSide: marketData.AggressorSide.SELL,
    exchangeTsMs: START_MS + 300,
    receivedTsMs: START_MS + 300 + 5,
    pass: 1,
    venueId: '11',
  });
  expect(freshnessMs).toBeGreaterThanOrEqual(200);
  expect([stalenessLimitMs, venue, sourceKind]).toEqual([60_000, 'binance-coinm', marketData.SourceKind.RECORDED]);
});

test("the book is the feed's when the feed answers", async () => {
  system.feed.answer = async ({ depth }) => ({
    bids: Array.from({ length: depth }, (_unused, level) => ({ price: String(1_000 - level), size: '1', venueSize: '10' })),
    asks: [{ price: '1001', size: '2', venueSize: '20' }],
    pass: 3,
    venueId: '777',
    exchangeTsMs: START_MS + 700,
    receivedTsMs: START_MS + 720,
    feedClockMs: START_MS + 1_000,
    syncState: 'resyncing',
  });
  const book = await system.call.getBook({ symbol: SYMBOL, depth: 1_000 });
  expect(book.bids).toHaveLength(1_000);
  expect(book).toMatchObject({
    symbol: SYMBOL,
    venue: 'binance-coinm',
    sourceKind: marketData.SourceKind.RECORDED,
    asks: [{ price: '1001', size: '2', venueSize: '20' }],
    sequence: '3:777',
    exchangeTsMs: START_MS + 700,
    receivedTsMs: START_MS + 720,
    freshnessMs: 300,
    stalenessLimitMs: 5_000,
    origin: marketData.BookOrigin.FEED,
    sync: marketData.BookSync.RESYNCING,
  });
});

test.each([
  ['fails', () => Promise.reject(new Error('broken'))],
  ['hangs', () => new Promise<never>(() => undefined)],
])('the book is the last one of the log when the feed %s', async (_how, answer) => {
  system.feed.answer = answer;
  await system.play(fixture.book(START_MS + 900, '55', '100.5', '100.6').tick(START_MS + 1_000));
  const ofLog = {
    bids: [{ price: '100.5', size: '1', venueSize: '2' }],
    asks: [{ price: '100.6', size: '4', venueSize: '5' }],
    sequence: '1:55',
    pass: 1,
    venueId: '55',
    exchangeTsMs: START_MS + 900,
    sync: marketData.BookSync.IN_SYNC,
  };
  const { EVENT_LOG, FEED } = marketData.BookOrigin;
  expect(await system.call.getBook({ symbol: SYMBOL, depth: 26 })).toMatchObject({ ...ofLog, origin: EVENT_LOG });
  // The log has this many levels, so the feed is not called.
  expect(await system.call.getBook({ symbol: SYMBOL, depth: 25 })).toMatchObject({ ...ofLog, origin: FEED });
});

test('an open gap of the book shows in the fallback book', async () => {
  system.feed.answer = () => Promise.reject(new Error('broken'));
  await system.play(
    fixture
      .status(START_MS + 1_100, {
        type: 'gap',
        gapId: 'gap_book',
        channel: 'book',
        startMs: START_MS + 900,
        endMs: 0,
        reason: 'sequence_gap',
      })
      .tick(START_MS + 1_250),
  );
  expect((await system.call.getBook({ symbol: SYMBOL, depth: 1 })).sync).toBe(marketData.BookSync.DEGRADED);
});

test("freshness states each channel's age, limit, state and gaps of the last 24 h", async () => {
  await system.play(
    fixture
      .status(START_MS + 1_400, { type: 'seam', gapId: 'gap_seam', startMs: START_MS + 1_300, endMs: START_MS + 1_400 })
      .trade(START_MS + 1_450, '12', '100', '1')
      .tick(START_MS + 30_000),
  );
  const { channels, feedClockMs } = await system.call.getFreshness({ symbol: SYMBOL });
  expect(feedClockMs).toBeGreaterThanOrEqual(START_MS + 30_000);
  const [book, trade, context, liquidation] = channels;
  expect(book).toMatchObject({
    channel: marketData.Channel.BOOK,
    lastExchangeTsMs: START_MS + 900,
    lastReceivedTsMs: START_MS + 1_005,
    stalenessLimitMs: 5_000,
    state: marketData.FreshnessState.STALE,
    gapTotal24h: 1,
    seamTotal24h: 1,
    reported: true,
  });
  expect(book?.freshnessMs).toBe(feedClockMs - START_MS - 900);
  expect(trade).toMatchObject({
    channel: marketData.Channel.TRADE,
    stalenessLimitMs: 60_000,
    state: marketData.FreshnessState.FRESH,
    gapTotal24h: 0,
    seamTotal24h: 1,
    reported: true,
  });
  for (const missing of [context, liquidation]) {
    expect(missing).toMatchObject({ lastExchangeTsMs: 0, freshnessMs: 0, state: marketData.FreshnessState.MISSING, reported: false });
  }
});

test('a feed that reported a lost connection makes its channels stale', async () => {
  await system.play(fixture.status(START_MS + 30_100, { type: 'disconnected', reason: 'closed' }).tick(START_MS + 30_250));
  const { channels } = await system.call.getFreshness({ symbol: SYMBOL });
  expect(channels[1]?.state).toBe(marketData.FreshnessState.STALE);
});

test("the data plane's health names each process and store with its latency", async () => {
  const { components } = await system.call.getDataHealth({});
  expect(components.map(({ component, healthy, detail }) => [component, healthy, detail])).toEqual([
    ['feed', true, ''],
    ['recorder', true, ''],
    ['postgres', true, ''],
    ['event_log', true, ''],
    [`feed:${SYMBOL}`, false, 'The venue is disconnected.'],
  ]);
  for (const { latencyMs } of components) expect(latencyMs).toBeGreaterThan(0);
  system.feed.health.set('', false);
  const [feed] = (await system.call.getDataHealth({})).components;
  expect(feed).toMatchObject({ component: 'feed', healthy: false });
  expect(feed?.detail).not.toBe('');
  system.feed.health.set('', true);
});

test.each(['priming', 'paused', 'stopped'])('health names the symbol whose feed is %s, though the feed process serves', async (phase) => {
  await system.play(fixture.connected(START_MS + 30_300));
  const unhealthy = async () =>
    (await system.call.getDataHealth({})).components.filter(({ healthy }) => !healthy).map(({ component }) => component);
  await waitUntil('connected', async () => (await unhealthy()).length === 0);
  system.feed.phase = phase;
  expect(await unhealthy()).toEqual([`feed:${SYMBOL}`]);
  system.feed.phase = 'playing';
});

test('rejections of a symbol are reported by reason, since the feed started', async () => {
  system.feed.rejected = { crossed_book: 3, duplicate: 1 };
  expect(await system.call.getRejections({ symbol: SYMBOL })).toEqual({
    rejectedTotal: { crossed_book: 3, duplicate: 1 },
    countedSinceMs: FEED_STARTED_MS,
  });
  expect(await failureOf(system.call.getRejections({ symbol: OTHER_SYMBOL }))).toMatchObject({
    code: 'NOT_FOUND',
    reason: 'unknown_symbol',
  });
  expect(await faultsOf(system.call.getRejections({ symbol: BAD_SYMBOL }))).toEqual(['symbol']);
});

test('the feed clock of freshness is never before what was received last', async () => {
  await system.play(
    fixture
      .trade(START_MS + 30_400, '13', '100', '1')
      .tick(START_MS + 30_500)
      .trade(START_MS + 30_510, '14', '100', '1'),
  );
  const heard = async () => {
    const { channels, feedClockMs } = await system.call.getFreshness({ symbol: SYMBOL });
    return { receivedMs: channels[1]?.lastReceivedTsMs ?? 0, feedClockMs };
  };
  await waitUntil('served', async () => (await heard()).receivedMs > START_MS + 30_510);
  const { receivedMs, feedClockMs } = await heard();
  expect(feedClockMs).toBeGreaterThanOrEqual(receivedMs);
});

test('a watch hears of a process that goes and of its return, without asking', async () => {
  const stop = new AbortController();
  const heard: boolean[] = [];
  const afterMs: number[] = [];
  let setMs = NaN;
  for await (const { components } of system.call.watchDataHealth({}, { signal: stop.signal })) {
    const feed = components.find(({ component }) => component === 'feed');
    if (feed === undefined || feed.healthy === heard.at(-1)) continue;
    heard.push(feed.healthy);
    afterMs.push(performance.now() - setMs);
    if (heard.length === 3) break;
    system.feed.health.set('', !feed.healthy);
    setMs = performance.now();
  }
  stop.abort();
  expect(heard).toEqual([true, false, true]);
  // Without the push, the change would arrive with the next message of the second.
  expect(afterMs[1]).toBeLessThan(800);
});

test('every fault of a request is named at once', async () => {
  const { call } = system;
  expect(await faultsOf(call.getBook({ symbol: BAD_SYMBOL, depth: 0 }))).toEqual(['depth', 'symbol']);
  expect(await faultsOf(call.getBook({ symbol: SYMBOL, depth: 1_001 }))).toEqual(['depth']);
  expect(await faultsOf(call.listTrades({ symbol: BAD_SYMBOL, limit: 1_001 }))).toEqual(['limit', 'symbol']);
  expect(await faultsOf(call.getFreshness({ symbol: '' }))).toEqual(['symbol']);
  expect(
    await faultsOf(
      call.listCandles({ symbol: BAD_SYMBOL, fromMs: -1, toMs: 9e15, pageSize: 1_001, pageToken: '!', intervalMs: 61_000, asOfMs: -1 }),
    ),
  ).toEqual(['as_of_ms', 'from_ms', 'interval_ms', 'page_size', 'page_token', 'symbol', 'to_ms']);
  expect(
    await faultsOf(call.listCandles({ symbol: SYMBOL, fromMs: 2, toMs: 1, pageSize: 1, pageToken: '', intervalMs: 60_000, asOfMs: 0 })),
  ).toEqual(['to_ms']);
});

test('an unserved symbol is distinguished from a malformed one, with the served ones listed', async () => {
  const { call } = system;
  const calls = [
    call.getBook({ symbol: OTHER_SYMBOL, depth: 1 }),
    call.listTrades({ symbol: OTHER_SYMBOL, limit: 1 }),
    call.getFreshness({ symbol: OTHER_SYMBOL }),
    call.listCandles({ symbol: OTHER_SYMBOL, fromMs: 0, toMs: 0, pageSize: 0, pageToken: '', intervalMs: 60_000, asOfMs: 0 }),
  ];
  for (const each of calls) {
    expect(await failureOf(each)).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol', metadata: { symbols: SYMBOL } });
  }
});

test('a restarted process serves the same from the log', async () => {
  const before = await system.call.listTrades({ symbol: SYMBOL, limit: 1_000 });
  const again = await system.restartDataPlane();
  const client = createClient({ definition: marketData.MarketDataServiceService, peer: testPeer('data-plane'), address: again.address });
  const after = await client.call.listTrades({ symbol: SYMBOL, limit: 1_000 });
  expect(after.trades).toEqual(before.trades);
  expect((await client.call.listInstruments({})).instruments[0]?.sourceKind).toBe(marketData.SourceKind.RECORDED);
  await client.close();
});
