import { silentLogger } from '@market-state/logging';
import { decodeEvent, encodeEvent, type FeedStatus, type FeedStatusEvent } from '@market-state/market-data';
import { createPool, inTransaction } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { candleSeries } from '@market-state/live-market';
import { type GapRow, gapsReportedBy, ledgerChanges } from '../src/recorder/gap-ledger';
import { gapOfJump } from '../src/recorder/gap-ledger';
import { readCandles } from '../src/store/candles';
import { listGapRows, writeLedger } from '../src/store/gaps';
import type { RecordedEntry } from '../src/store/log-entries';

const SEED = 40_404;
const START_MS = Date.UTC(2026, 0, 5, 12);
const MINUTE_MS = 60_000;

let stores: TestStores;
let pool: Pool;

beforeAll(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
});

afterAll(async () => {
  await pool.end();
  await stores.stop();
});

/** Gap entries, or breaks that the recorder detects. `backMs`: time from the gap's start to its report. */
const tellings = fc.array(
  fc.record({
    what: fc.constantFrom('open', 'open', 'closed', 'ended', 'resynced', 'resynced', 'log_lost', 'seam', 'missing'),
    channel: fc.constantFrom('book', 'trade', undefined),
    gap: fc.nat(5),
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90_000 })),
    backMs: fc.integer({ min: -2_000, max: 200_000 }),
    lengthMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100_000 })),
    batchEnds: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

type Telling = typeof tellings extends fc.Arbitrary<(infer T)[]> ? T : never;

function statusOf({ what, channel, gap, backMs, lengthMs }: Telling, symbol: string, clockMs: number): FeedStatus {
  const startMs = clockMs - backMs;
  const endMs = startMs + lengthMs;
  switch (what) {
    case 'open':
      return { type: 'gap', gapId: `gap_${symbol}_${gap}`, channel, startMs, endMs: 0, reason: 'overflow' };
    case 'closed':
    case 'ended':
      return { type: 'gap', gapId: `gap_${symbol}_${gap}`, channel, startMs, endMs, reason: 'overflow' };
    case 'resynced':
      return { type: 'resynced', gapId: `gap_${symbol}_${gap}`, channel, startMs, endMs };
    case 'log_lost':
      return { type: 'gap', gapId: `gap_${symbol}_lost_${clockMs}`, startMs, endMs, reason: 'log_lost' };
    case 'seam':
      return { type: 'seam', gapId: `gap_${symbol}_seam_${clockMs}`, startMs, endMs };
    default:
      return { type: 'disconnected', reason: 'entries are missing before this' };
  }
}

function entryOf(symbol: string, ordinal: number, clockMs: number, status: FeedStatus): RecordedEntry {
  const envelope = { venue: 'v', symbol, pass: 0, venueId: '', exchangeTsIsReceiveTime: true, epoch: 1 };
  const written: FeedStatusEvent = { kind: 'feed_status', ...envelope, exchangeTsMs: clockMs, receivedTsMs: clockMs, ordinal, status };
  const payload = encodeEvent(written);
  return { entry: { epoch: 1, ordinal, payload }, event: decodeEvent(payload) };
}

interface Answer {
  readonly gaps: readonly GapRow[];
  readonly candles: readonly boolean[];
}

/** Gap list and cut candles as of an instant. */
async function answerAt(symbol: string, asOfMs: number): Promise<Answer> {
  const span = { symbol, fromMs: START_MS - 10 * MINUTE_MS, toMs: START_MS + 60 * MINUTE_MS };
  const intervalMs = MINUTE_MS;
  const candles = await readCandles({ pool }, { ...span, intervalMs, asOfMs, timeoutMs: 5_000 });
  return {
    gaps: await listGapRows(pool, { ...span, asOfMs, limit: 1_000 }),
    candles: candleSeries(candles, { ...span, intervalMs, closingLagMs: 1_000 }).map(({ gap }) => gap),
  };
}

let runTotal = 0;

test('what is answered as of an instant is the same whenever it is asked again, however the log is cut into batches', async () => {
  await fc.assert(
    fc.asyncProperty(tellings, async (reported) => {
      runTotal += 1;
      const symbol = `RUN${runTotal}`;
      const requested = new Map<number, Answer>();
      const whole = new Map<string, GapRow>();
      let clockMs = START_MS;
      let batch: RecordedEntry[] = [];
      let missing: GapRow[] = [];
      for (const [index, telling] of reported.entries()) {
        const entry = entryOf(symbol, index + 1, clockMs, statusOf(telling, symbol, clockMs));
        batch.push(entry);
        const found =
          telling.what === 'missing'
            ? gapOfJump({ before: { epoch: 1, ordinal: index }, after: entry }, clockMs - telling.backMs)
            : undefined;
        if (found !== undefined) missing.push(found);
        for (const gap of [
          ...(found === undefined ? [] : [found]),
          ...(entry.event.kind === 'feed_status' ? gapsReportedBy(entry.event) : []),
        ])
          whole.set(gap.gapId, gap);
        const nextMs = clockMs + (reported[index + 1]?.pauseMs ?? 1);
        if (telling.batchEnds || index === reported.length - 1) {
          const changes = ledgerChanges(missing, batch);
          await inTransaction(pool, (client) => writeLedger(client, changes));
          batch = [];
          missing = [];
          // Everything received so far is recorded.
          if (nextMs > clockMs) requested.set(clockMs, await answerAt(symbol, clockMs)).set(nextMs - 1, await answerAt(symbol, nextMs - 1));
        }
        clockMs = nextMs;
      }
      for (const [asOfMs, answer] of requested) {
        expect(await answerAt(symbol, asOfMs)).toEqual(answer);
        expect(answer.gaps.every(({ reportedAtMs }) => reportedAtMs <= asOfMs)).toBe(true);
      }
      expect((await answerAt(symbol, START_MS - 1)).gaps).toEqual([]);
      expect(
        new Set((await listGapRows(pool, { symbol, fromMs: 0, toMs: Infinity, asOfMs: Infinity, limit: 1_000 })).map(({ gapId }) => gapId)),
      ).toEqual(new Set(whole.keys()));
    }),
    { seed: SEED, numRuns: 40 },
  );
});

test('a gap is served as it was reported: not before, open until its end is reported, and open again when the log says so', async () => {
  const [symbol, at] = ['TRADED', START_MS];
  const gap = { type: 'gap', gapId: 'gap_trade', channel: 'trade', startMs: at, endMs: 0, reason: 'overflow' } as const;
  const entries = [
    entryOf(symbol, 1, at + 10_000, gap),
    entryOf(symbol, 2, at + 20_000, { type: 'gap', gapId: 'gap_lost', startMs: at + 15_000, endMs: at + 19_000, reason: 'log_lost' }),
    entryOf(symbol, 3, at + 21_000, gap),
    entryOf(symbol, 4, at + 40_000, { type: 'resynced', gapId: 'gap_trade', channel: 'trade', startMs: at, endMs: at + 30_000 }),
  ];
  await inTransaction(pool, (client) => writeLedger(client, ledgerChanges([], entries)));
  const stood = async (asOfMs: number) =>
    (await answerAt(symbol, asOfMs)).gaps.map(({ gapId, endMs, resolution }) => [gapId, endMs === 0 ? 0 : endMs - at, resolution]);
  const lost = ['gap_lost', 19_000, 'resumed'];
  expect(await stood(at + 9_999)).toEqual([]);
  expect(await stood(at + 19_999)).toEqual([['gap_trade', 0, 'open']]);
  expect(await stood(at + 20_999)).toEqual([['gap_trade', 15_000, 'resumed'], lost]);
  expect(await stood(at + 39_999)).toEqual([['gap_trade', 0, 'open'], lost]);
  expect(await stood(at + 40_000)).toEqual([['gap_trade', 30_000, 'resynced'], lost]);
});
