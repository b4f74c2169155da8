import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createFolderStore } from '@market-state/archive';
import type { marketData } from '@market-state/contracts';
import { columnsOf, compressionsOf, defaultDepth, FORMATS, type LogDataset } from '@market-state/export-schema';
import {
  bundledFiles,
  encodeEvent,
  instrumentOf,
  type MarketEvent,
  recordingLines,
  recordingLog,
  storedVenueId,
} from '@market-state/market-data';
import { scenarioSet } from '@market-state/scenarios';
import type { ExportSpec } from '../src/jobs/job';
import { makePart } from '../src/parts/make-part';
import { createMeasureSizes } from '../src/planning/file-sizes';
import { channelOf } from '../src/planning/plan-symbol';

const SYMBOL = 'BTCUSD-PERP';
const HOUR_MS = 3_600_000;
const KINDS = { trades: 'trade', book: 'book', context: 'context' } as const;
type Tested = keyof typeof KINDS;
const TESTED = Object.keys(KINDS) as Tested[];
type Recorded = Extract<MarketEvent, { readonly kind: (typeof KINDS)[Tested] }>;

/** A fraction of the usual sample, so that the recordings are several times larger. */
const SAMPLE_ROWS = { book: 1_000, trades: 1_500, liquidations: 1_500, context: 2_000, candles: 1_200, packets: 100 };
/** So that the rows of a sample do not depend on the machine. */
const LONG_LIMITS = { sampleMs: 600_000, readMsMax: 600_000 };

const PASSES = 9;

/** Trades and books of several passes. */
const events: Readonly<Record<Tested, Recorded[]>> = { trades: [], book: [], context: [] };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'estimates-'));
  const recordings = join(import.meta.dirname, '../../../libs/domain/market-data/recordings/binance-coinm');
  const files = await Promise.all((bundledFiles[SYMBOL] ?? []).map(async (file) => gunzipSync(await readFile(join(recordings, file)))));
  const lines = {
    *[Symbol.iterator]() {
      for (const bytes of files) yield* recordingLines(bytes);
    },
  };
  for (const event of recordingLog({ instrument: instrumentOf(SYMBOL), lines, firstShiftMs: 0 })) {
    if (event.pass > PASSES) break;
    if (event.kind === 'trade') events.trades.push(event);
    if (event.kind === 'book') events.book.push(event);
  }
  for (const event of scenarioSet({ seed: 1, symbol: SYMBOL, startMs: Date.UTC(2026, 0, 5) }).events)
    if (event.kind === 'context') events.context.push(event);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const upstreams = {
  labeling: undefined as never,
  marketData: { call: { streamStoredRows } } as never,
};

async function* streamStoredRows(request: marketData.StreamStoredRowsRequest): AsyncGenerator<marketData.StreamStoredRowsResponse> {
  const dataset = TESTED.find((each) => channelOf(each) === request.channel);
  const rows = dataset === undefined ? [] : rowsBetween(events[dataset], request);
  for (let at = 0; at < rows.length; at += 1_000) yield { rows: rows.slice(at, at + 1_000).map(toLogRow) };
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
  readonly afterOrdinal?: number;
  readonly toOrdinal?: number;
}

function rowsBetween(all: readonly Recorded[], { startMs, endMs, afterOrdinal = 0, toOrdinal = Infinity }: Span): Recorded[] {
  return all.filter(
    ({ exchangeTsMs, ordinal }) => exchangeTsMs >= startMs && exchangeTsMs < endMs && ordinal > afterOrdinal && ordinal <= toOrdinal,
  );
}

const logRows = new WeakMap<Recorded, marketData.LogRow>();

function toLogRow(event: Recorded): marketData.LogRow {
  const encoded = logRows.get(event) ?? encode(event);
  logRows.set(event, encoded);
  return encoded;
}

function encode(event: Recorded): marketData.LogRow {
  const { ordinal, epoch, pass, exchangeTsMs, receivedTsMs } = event;
  const venueId = storedVenueId(event, 0) ?? '';
  return { ordinal, epoch, pass, venueId, exchangeTsMs, receivedTsMs, flags: 0, payload: Buffer.from(encodeEvent(event)) };
}

interface Written extends Pick<ExportSpec, 'format' | 'compression'> {
  readonly dataset: LogDataset & Tested;
  readonly passes: number;
  /** Share of their span, from its start. */
  readonly share: number;
  /** Time requested before the first row; default 0. */
  readonly emptyMs?: number;
}

/** Order for the start of the recording, and its plan. */
function orderOf({ dataset, format, compression, passes, share, emptyMs = 0 }: Written) {
  const all = events[dataset].filter(({ pass }) => pass <= passes);
  const [firstMs, lastMs] = [all[0]?.exchangeTsMs ?? 0, all.at(-1)?.exchangeTsMs ?? 0];
  const fromMs = firstMs - emptyMs;
  const toMs = Math.ceil(firstMs + (lastMs - firstMs) * share) + 1;
  const depth = dataset === 'book' ? defaultDepth(format) : 0;
  const columns = columnsOf({ dataset, format, depth }).map(({ name }) => name);
  const spec: ExportSpec = {
    ...{ dataset, format, compression, depth, columns },
    ...{ symbols: [SYMBOL], fromMs, toMs, asOfMs: lastMs + HOUR_MS, intervalMs: 0 },
  };
  const toOrdinal = Number.MAX_SAFE_INTEGER;
  const hours = [...new Set(rowsBetween(all, { startMs: fromMs, endMs: toMs }).map((row) => Math.floor(row.exchangeTsMs / HOUR_MS)))].map(
    (hour) => {
      const span = { startMs: Math.max(fromMs, hour * HOUR_MS), endMs: Math.min(toMs, (hour + 1) * HOUR_MS) };
      const ordinals = rowsBetween(all, span).map(({ ordinal }) => ordinal);
      const [firstOrdinal = 0, lastOrdinal = 0] = [ordinals[0], ordinals.at(-1)];
      return { hourMs: hour * HOUR_MS, firstOrdinal, lastOrdinal, rows: ordinals.length };
    },
  );
  const rows = hours.reduce((sum, hour) => sum + hour.rows, 0);
  const sourceKind = passes > 1 ? 'recorded' : 'live';
  const symbol = { symbol: SYMBOL, venue: 'x', sourceKind, keptFromMs: 0, isReported: true, rowsMin: 0, toOrdinal };
  const days = [{ dayMs: 0, rows, expectedRows: rows, hours }] as const;
  const planned = { ...symbol, days };
  return { spec, planned };
}

/** Estimated and delivered bytes of one file. */
async function sizesOf(
  written: Written,
  limits: Parameters<typeof createMeasureSizes>[1] = {},
): Promise<{ estimated: number; delivered: number }> {
  const { spec, planned } = orderOf(written);
  const { fromMs, toMs } = spec;
  const [{ hours, rows }] = planned.days;
  const store = createFolderStore(join(folder, 'store'));
  const sizes = await createMeasureSizes({ ...upstreams, store }, { ...LONG_LIMITS, ...limits })(spec, [planned]);
  const { bytes } = await makePart(
    { ...upstreams, store, archive: undefined },
    {
      job: { jobId: 'exp_g2a6haxqfyay9m68h36d245png', spec },
      ...{ symbol: SYMBOL, plan: { fromMs, toMs, toOrdinal: planned.toOrdinal, hours } },
      ...{ name: 'file', rowTotal: rows, attempt: 1 },
    },
    new AbortController().signal,
  );
  return { estimated: sizes.get(SYMBOL)?.(rows) ?? 0, delivered: bytes };
}

const CASES = TESTED.flatMap((dataset) =>
  FORMATS.flatMap((format) => compressionsOf(format).map((compression) => ({ dataset, format, compression }))),
);

it.each(CASES)('before any file of its kind, $dataset as $format with $compression is estimated within a tenth', async (written) => {
  for (const share of [0.05, 1]) {
    const { estimated, delivered } = await sizesOf({ ...written, passes: 1, share }, { sampleRows: SAMPLE_ROWS });
    expect(Math.abs(estimated - delivered)).toBeLessThanOrEqual(delivered / 10);
  }
});

/** Kinds whose encoder finds what repeats. */
const REPEATED = CASES.filter(
  ({ dataset, format, compression }) => dataset !== 'context' && (format === 'parquet' ? compression !== 'none' : compression === 'zstd'),
);

it.each(REPEATED)('$dataset of a recording that repeats, as $format with $compression, is estimated within a tenth', async (written) => {
  const { estimated, delivered } = await sizesOf({ ...written, passes: PASSES, share: 1, emptyMs: 24 * HOUR_MS });
  expect(Math.abs(estimated - delivered)).toBeLessThanOrEqual(delivered / 10);
});

/** Market data that returns some rows, then none until the caller gives up. */
function slowMarketData(rowTotal: number) {
  return {
    call: {
      async *streamStoredRows(request: marketData.StreamStoredRowsRequest, { signal }: { readonly signal: AbortSignal }) {
        let left = rowTotal;
        for await (const { rows } of streamStoredRows(request)) {
          if (left === 0) break;
          yield { rows: rows.slice(0, left) };
          left -= Math.min(left, rows.length);
        }
        if (!signal.aborted) await once(signal, 'abort');
      },
    },
  } as never;
}

/** Trades of two hours, sampled as a whole. */
function orderOfTwoHours() {
  const { spec, planned } = orderOf({ dataset: 'trades', format: 'csv', compression: 'none', passes: PASSES, share: 1 });
  return { spec, planned: { ...planned, sourceKind: 'live' } };
}

const READ_MS_MAX = 500;

it('estimates from the rows read so far if the time for a sample is up', async () => {
  const { spec, planned } = orderOfTwoHours();
  const [{ rows, hours }] = planned.days;
  expect(hours.length).toBeGreaterThan(1);
  const store = createFolderStore(join(folder, 'store'));
  const sampleRows = { ...SAMPLE_ROWS, trades: rows };
  const whole = await createMeasureSizes({ ...upstreams, store }, { ...LONG_LIMITS, sampleRows })(spec, [planned]);
  const limits = { ...LONG_LIMITS, sampleRows, readMsMax: READ_MS_MAX };
  const cut = await createMeasureSizes({ ...upstreams, marketData: slowMarketData(2_000), store }, limits)(spec, [planned]);
  const [expected = 0, estimated = 0] = [whole, cut].map((sizes) => sizes.get(SYMBOL)?.(rows));
  expect(Math.abs(estimated - expected)).toBeLessThanOrEqual(expected / 10);
});

it('is unavailable, and estimates no empty file, if no row can be read in time', async () => {
  const { spec, planned } = orderOfTwoHours();
  const store = createFolderStore(join(folder, 'store'));
  const measure = createMeasureSizes({ ...upstreams, marketData: slowMarketData(0), store }, { readMsMax: READ_MS_MAX });
  await expect(measure(spec, [planned])).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
});

it('answers with the newest sizes of the kind while another estimate is measured', async () => {
  let isBlocked = false;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const marketData = {
    call: {
      async *streamStoredRows(request: marketData.StreamStoredRowsRequest) {
        if (isBlocked) await released;
        yield* streamStoredRows(request);
      },
    },
  } as never;
  const measure = createMeasureSizes({ ...upstreams, marketData, store: createFolderStore(join(folder, 'store')) });
  const written = { dataset: 'trades', format: 'csv', compression: 'none', passes: 1 } as const;
  const [first, second, third] = [0.2, 0.4, 0.6].map((share) => orderOf({ ...written, share }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('no orders');
  const known = (await measure(first.spec, [first.planned])).get(SYMBOL);
  isBlocked = true;
  const running = measure(second.spec, [second.planned]);
  expect((await measure(third.spec, [third.planned])).get(SYMBOL)).toBe(known);
  release();
  expect((await running).get(SYMBOL)).not.toBe(known);
  expect((await measure(third.spec, [third.planned])).get(SYMBOL)).not.toBe(known);
});
