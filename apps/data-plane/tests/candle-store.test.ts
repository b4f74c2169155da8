import { createEventLog } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { addDecimals, compareEvents, encodeEvent, type MarketEvent, multiplyDecimals, type TradeEvent } from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { readRecorderConfig } from '../src/config';
import { candleSeries } from '@market-state/live-market';
import { startRecorder } from '../src/recorder/start-recorder';
import { readCandles } from '../src/store/candles';
import { serveInstrument } from './recorded-truth';

const SEED = 20_260_105;
const START_MS = Date.UTC(2026, 0, 5, 21, 17);
const MINUTE_MS = 60_000;
const INTERVALS_MS = [1, 5, 15, 60, 240, 1_440].map((minutes) => minutes * MINUTE_MS);
const INVERSE = 'BTCUSD-PERP';
const LINEAR = 'SIMUSD-PERP';

/** Trades over `hours`, many late by up to two hours. */
function tradedLog(symbol: string, total: number, hours: number): MarketEvent[] {
  const steps = fc.sample(
    fc.record({
      lateMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: -4_000, max: 3_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 7_200_000 }) },
      ),
      price: fc.integer({ min: 1, max: 9_999_999 }).map((cents) => `${Math.floor(cents / 100)}.${cents % 100}1`),
      size: fc.integer({ min: 1, max: 999_999 }).map((digits) => `0.0000${digits}7`),
      contracts: fc.integer({ min: 1, max: 50 }),
    }),
    { numRuns: total, seed: SEED },
  );
  const envelope = { venue: 'v', symbol, pass: 1, exchangeTsIsReceiveTime: false, epoch: 1 };
  const facts = {
    channels: ['book', 'trade'],
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
    sourceKind: 'recorded',
  } as const;
  const events: MarketEvent[] = [
    {
      kind: 'feed_status',
      ...envelope,
      venueId: '',
      ordinal: 1,
      exchangeTsMs: START_MS,
      receivedTsMs: START_MS,
      status: { type: 'connected', ...facts },
    },
    {
      kind: 'book',
      ...envelope,
      venueId: '1',
      ordinal: 2,
      exchangeTsMs: START_MS - 7_200_000,
      receivedTsMs: START_MS,
      bids: [{ price: '1', size: '1' }],
      asks: [{ price: '2', size: '1' }],
    },
  ];
  const stepMs = Math.floor((hours * 3_600_000) / total);
  for (const [index, { lateMs, price, size, contracts }] of steps.entries()) {
    const receivedTsMs = START_MS + index * stepMs;
    // Ids fall as time rises, so that neither arrival nor ids alone determine open and close.
    const times = { receivedTsMs, exchangeTsMs: Math.floor((receivedTsMs - lateMs) / 500) * 500, ordinal: events.length + 1 };
    const quantity = symbol === INVERSE ? { size, venueSize: String(contracts) } : { size };
    events.push({ kind: 'trade', ...envelope, ...times, venueId: String(100_000 - index), price, ...quantity, aggressorSide: 'buy' });
    if (index % 10 === 0)
      events.push({
        kind: 'tick',
        ...envelope,
        venueId: '',
        ordinal: events.length + 1,
        exchangeTsMs: receivedTsMs,
        receivedTsMs,
        feedClockMs: receivedTsMs,
      });
  }
  return events;
}

/** Reference candles, added trade by trade. */
function reckoned(events: readonly MarketEvent[], intervalMs: number, asOfMs: number): Map<number, unknown> {
  const trades = events.filter((event): event is TradeEvent => event.kind === 'trade' && event.receivedTsMs <= asOfMs).sort(compareEvents);
  const candles = new Map<
    number,
    {
      open: string;
      high: string;
      low: string;
      close: string;
      volume: string;
      notional: string;
      tradeTotal: number;
      lastReceivedMs: number;
    }
  >();
  for (const { exchangeTsMs, receivedTsMs, price, size, venueSize } of trades) {
    const openMs = Math.floor(exchangeTsMs / intervalMs) * intervalMs;
    const notional = venueSize === undefined ? multiplyDecimals(price, size) : multiplyDecimals(venueSize, '100');
    const none = { open: price, high: price, low: price, volume: '0', notional: '0', tradeTotal: 0, lastReceivedMs: 0 };
    const before = candles.get(openMs) ?? none;
    candles.set(openMs, {
      open: before.open,
      high: Number(price) > Number(before.high) ? price : before.high,
      low: Number(price) < Number(before.low) ? price : before.low,
      close: price,
      volume: addDecimals(before.volume, size),
      notional: addDecimals(before.notional, notional),
      tradeTotal: before.tradeTotal + 1,
      lastReceivedMs: Math.max(before.lastReceivedMs, receivedTsMs),
    });
  }
  return candles;
}

let stores: TestStores;
let pool: Pool;
const logs = new Map([
  [INVERSE, tradedLog(INVERSE, 6_000, 30)],
  [LINEAR, tradedLog(LINEAR, 1_500, 5)],
]);

beforeAll(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
  await serveInstrument(pool, INVERSE);
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  const env = {
    ...testRpcVariables('data-plane-recorder'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    LOG_LEVEL: 'silent',
    SHUTDOWN_WAIT_MS: '0',
  };
  const symbols = [...logs.keys()];
  const config = { ...readRecorderConfig({ ...env, SYMBOLS: INVERSE }), SYMBOLS: symbols, recordedSymbols: symbols };
  const recorder = await startRecorder(config);
  for (const [symbol, events] of logs) {
    for (let from = 0; from < events.length; from += 500) {
      await log.append(
        symbol,
        events.slice(from, from + 500).map((event) => ({ epoch: 1, ordinal: event.ordinal, payload: encodeEvent(event) })),
      );
    }
    await waitUntil(
      'recorded',
      async () =>
        (await pool.query('SELECT FROM consumer_position WHERE symbol = $1 AND ordinal = $2', [symbol, events.length])).rowCount === 1,
    );
  }
  await recorder.close();
  await log.close();
});

afterAll(async () => {
  await pool.end();
  await stores.stop();
});

function spanOf(intervalMs: number): { fromMs: number; toMs: number } {
  return {
    fromMs: Math.floor((START_MS - 7_200_000) / intervalMs) * intervalMs,
    toMs: Math.ceil((START_MS + 31 * 3_600_000) / intervalMs) * intervalMs,
  };
}

async function stored(symbol: string, intervalMs: number, asOfMs: number | undefined): Promise<Map<number, unknown>> {
  const { rows } = await readCandles({ pool }, { symbol, intervalMs, ...spanOf(intervalMs), asOfMs, timeoutMs: 5_000 });
  return new Map(rows.map(({ openMs, ...row }) => [openMs, row]));
}

test.each([...logs.keys()].flatMap((symbol) => INTERVALS_MS.map((intervalMs) => [symbol, intervalMs] as const)))(
  'candles of %s of %d ms are those of the trades, to the last digit, late ones in their place',
  async (symbol, intervalMs) => {
    expect(await stored(symbol, intervalMs, undefined)).toEqual(reckoned(logs.get(symbol) ?? [], intervalMs, Infinity));
  },
);

test('as of any instant, candles contain the trades received until then', async () => {
  const events = logs.get(INVERSE) ?? [];
  const instants = fc.integer({ min: START_MS - 1_000, max: START_MS + 31 * 3_600_000 });
  await fc.assert(
    fc.asyncProperty(instants, fc.constantFrom(...INTERVALS_MS), async (asOfMs, intervalMs) => {
      expect(await stored(INVERSE, intervalMs, asOfMs)).toEqual(reckoned(events, intervalMs, asOfMs));
    }),
    { seed: SEED, numRuns: 30 },
  );
});

test('a series has every candle; complete are those that the clock of then has passed', async () => {
  const intervalMs = 4 * 60 * MINUTE_MS;
  const { fromMs, toMs } = spanOf(intervalMs);
  const seriesAsOf = async (asOfMs: number | undefined): Promise<boolean[]> => {
    const span = await readCandles({ pool }, { symbol: INVERSE, intervalMs, fromMs, toMs, asOfMs, timeoutMs: 5_000 });
    return candleSeries(span, { intervalMs, fromMs, toMs, closingLagMs: 1_000 }).map(({ complete }) => complete);
  };
  const total = (toMs - fromMs) / intervalMs;
  const now = await seriesAsOf(undefined);
  expect(now).toHaveLength(total);
  const secondEndsMs = fromMs + 2 * intervalMs;
  expect(await seriesAsOf(secondEndsMs + 1_000)).toEqual(Array.from({ length: total }, (_, index) => index === 1));
  expect(await seriesAsOf(secondEndsMs + 999)).toEqual(Array.from({ length: total }, () => false));
  expect(now.filter(Boolean).length).toBeGreaterThan(5);
});

test('a gap affects the candles that it overlaps, all later ones while it is open, and none as of an instant before its report', async () => {
  const fromMs = Math.ceil(START_MS / 3_600_000) * 3_600_000;
  const gapMs = fromMs + 2 * 3_600_000 + 1;
  await pool.query(
    `INSERT INTO gap VALUES ('gap_open', $1, 'trade', $2, 0, 'overflow', 'open'), ('gap_book', $1, 'book', $3, 0, 'overflow', 'open')`,
    [INVERSE, gapMs, fromMs],
  );
  await pool.query(`INSERT INTO gap_telling VALUES ('gap_open', $1, 0, 'open'), ('gap_book', $2, 0, 'open')`, [gapMs + 5_000, fromMs]);
  const gapsAsOf = async (asOfMs: number | undefined): Promise<boolean[]> => {
    const query = { symbol: INVERSE, intervalMs: 3_600_000, fromMs, toMs: fromMs + 5 * 3_600_000, asOfMs, timeoutMs: 5_000 };
    return candleSeries(await readCandles({ pool }, query), { ...query, closingLagMs: 1_000 }).map(({ gap }) => gap);
  };
  expect(await gapsAsOf(undefined)).toEqual([false, false, true, true, true]);
  expect(await gapsAsOf(gapMs + 5_000)).toEqual([false, false, true, true, true]);
  expect(await gapsAsOf(gapMs + 4_999)).toEqual([false, false, false, false, false]);
  await pool.query(`INSERT INTO gap VALUES ('gap_instant', $1, 'trade', $2, $2, 'overflow', 'resumed')`, [INVERSE, fromMs]);
  await pool.query(`INSERT INTO gap_telling VALUES ('gap_instant', $1, $1, 'resumed')`, [fromMs]);
  expect(await gapsAsOf(undefined)).toEqual([true, false, true, true, true]);
});
