import { stat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type Engine, type ObjectStore, openEngine } from '@market-state/archive';
import type { Dataset } from '@market-state/export-schema';
import { resourceExhausted, unavailable } from '@market-state/errors';
import { createConcurrencyLimit, timeLimit } from '@market-state/lifecycle';
import { LRUCache } from 'lru-cache';
import type { ExportSpec, PartPlan, SourceHour } from '../jobs/job';
import { copy, type CopyOrder, ROW_GROUP_ROWS, sourceOf } from '../parts/copy-rows';
import { sourcesOf } from '../parts/sources';
import type { Upstreams } from '../upstreams';
import { type FileSize, measureColumns, sizeOfGroups } from './parquet-size';
import { expectedRowTotal, hourWithin, type PlannedSymbol } from './plan-symbol';
import { findPass, type SampleLimits, copyPasses } from './recording-passes';

/** Estimated bytes of a file with so many rows. */
export type SizeOf = (rows: number) => number;

/** Returns estimates by symbol. */
export type MeasureSizes = (spec: ExportSpec, planned: readonly PlannedSymbol[]) => Promise<ReadonlyMap<string, SizeOf>>;

/** Rows encoded per symbol; a span with fewer is encoded whole. */
const SAMPLE_ROWS: Readonly<Record<Dataset, number>> = {
  book: 4_096,
  trades: 8_192,
  liquidations: 8_192,
  context: 8_192,
  candles: 1_024,
  packets: 128,
};
/** Limits of a sample. They bound the cost of an estimate, so on a busy machine it is less accurate. */
const SAMPLE_LIMITS = {
  sampleRows: SAMPLE_ROWS,
  /** For all symbols, which share twice these rows. After it, no further rows are read, and the rest takes another's sizes. */
  sampleMs: 2_000,
  /** For one slice. After it, the rows read so far are the sample. */
  readMsMax: 4_000,
};
const SLICES = 4;
/** Shares of the sample that are measured as files of their own. */
const SHARES = { whole: [0, 1], large: [0, 1 / 2, 1], small: [0, 1 / 16, 1 / 4, 1 / 2, 1], passes: [0, 1 / 4, 3 / 4, 1] };
const MEMORY_MB = 128;
const WAITING = {
  waitingMax: 8,
  waitMsMax: 10_000,
  refusal: () => resourceExhausted('too_many_calls_at_once', 'Too many exports are being estimated at once.'),
};
const CACHED_MAX = 1_000;
const CACHED_MS = 300_000;

interface SampleDeps extends Pick<Upstreams, 'marketData' | 'labeling'> {
  readonly store: Pick<ObjectStore, 'scratch'>;
}

/**
 * Encodes rows of the span as the worker does. Results are cached for the lifetime of a quote. One caller measures at a
 * time, while others get the newest sizes of files of the same kind, and wait only if there are none. Rejects with
 * UNAVAILABLE if no row of a symbol can be read in time.
 */
export function createMeasureSizes(deps: SampleDeps, limits: Partial<typeof SAMPLE_LIMITS> = {}): MeasureSizes {
  const { sampleRows, sampleMs, readMsMax } = { ...SAMPLE_LIMITS, ...limits };
  const cache = new LRUCache<string, SizeOf>({ max: CACHED_MAX, ttl: CACHED_MS });
  const newest = new LRUCache<string, SizeOf>({ max: CACHED_MAX });
  const queue = createConcurrencyLimit(1, WAITING);
  let isMeasuring = false;
  return async (spec, planned) => {
    const { dataset, fromMs, toMs, format, compression, intervalMs, depth, columns } = spec;
    const kind = JSON.stringify([dataset, format, compression, intervalMs, depth, columns]);
    const keyOf = ({ symbol }: PlannedSymbol): string => JSON.stringify([symbol, fromMs, toMs, kind]);
    const missing = planned.filter((symbol) => symbol.days.length > 0 && !cache.has(keyOf(symbol)));
    const measured = new Map(planned.map((each) => [each.symbol, cache.get(keyOf(each)) ?? (() => 0)]));
    if (missing.length === 0) return measured;
    const ofKind = isMeasuring ? newest.get(kind) : undefined;
    if (ofKind !== undefined) return new Map([...measured, ...missing.map(({ symbol }) => [symbol, ofKind] as const)]);
    const rowsMax = Math.ceil(sampleRows[dataset] / Math.max(1, missing.length / 2));
    await queue(async () => {
      isMeasuring = true;
      const scratch = await deps.store.scratch();
      const engine = await openEngine({ memoryMb: MEMORY_MB, spillFolder: scratch });
      const endMs = performance.now() + sampleMs;
      let last: SizeOf | undefined;
      try {
        for (const symbol of missing) {
          if (last === undefined || performance.now() < endMs) {
            last = await measure({ deps, engine, scratch }, spec, symbol, { rowsMax, endMs, readMsMax });
            cache.set(keyOf(symbol), last);
            newest.set(kind, last);
          }
          measured.set(symbol.symbol, last);
        }
      } finally {
        isMeasuring = false;
        engine.close();
        await rm(scratch, { recursive: true, force: true });
      }
    });
    return measured;
  };
}

interface Workplace {
  readonly deps: SampleDeps;
  readonly engine: Engine;
  readonly scratch: string;
}

async function measure(
  { deps, engine, scratch }: Workplace,
  spec: ExportSpec,
  planned: PlannedSymbol,
  limits: SampleLimits,
): Promise<SizeOf> {
  const { symbol } = planned;
  const { rowsMax, endMs, readMsMax } = limits;
  const sources: string[] = [];
  let isCut = false;
  const pass = await findPass(deps, spec, planned, limits);
  for (const plan of pass === undefined ? slicesOf(spec, planned, rowsMax) : [pass.plan]) {
    if (sources.length > 0 && performance.now() > endMs) break;
    const folder = join(scratch, `${symbol}-${sources.length}`);
    await mkdir(folder);
    const signal = timeLimit(readMsMax);
    // Hour by hour, because a part is refused when its time is up, and a sample is not.
    for (const hours of plan.hours.length === 0 ? [[]] : plan.hours.map((hour) => [hour])) {
      if (signal.aborted) break;
      const part = { job: { jobId: JOB_ID, spec }, symbol, plan: { ...plan, hours }, name: '', rowTotal: 0, attempt: 0 };
      sources.push(...(await sourcesOf({ ...deps, archive: undefined }, part, { engine, scratch: folder, signal })));
    }
    isCut ||= signal.aborted;
  }
  const plan = { fromMs: spec.fromMs, toMs: spec.toMs, toOrdinal: Number.MAX_SAFE_INTEGER, hours: [] };
  const order = { jobId: JOB_ID, spec, symbol, plan, sources, target: join(scratch, `${symbol}-file`) };
  return engine.run(async (connection) => {
    const from = await sourceOf(connection, order);
    if (isCut && !(await hasRows(connection, from)))
      throw unavailable('upstream_unavailable', 'The rows could not be read in time to estimate the files. Try again later.');
    return pass === undefined
      ? sizeOfSample(connection, order, from, planned)
      : sizeOfPasses(connection, order, await copyPasses(connection, order, from, { pass, planned, rowsMax }), planned);
  });
}

async function hasRows(connection: DuckDBConnection, from: string): Promise<boolean> {
  return (await connection.runAndReadAll(`SELECT 1 FROM ${from} LIMIT 1`)).getRows().length > 0;
}

/** Placeholder with the length of a job id, which Parquet files contain. */
const JOB_ID = 'exp_00000000000000000000000000';

async function sizeOfSample(connection: DuckDBConnection, order: CopyOrder, from: string, planned: PlannedSymbol): Promise<SizeOf> {
  const encode = encoderOf(connection, order, from);
  const whole = await encode();
  const isLarger = expectedRowTotal(planned) > whole.rows;
  const isSmaller = planned.days.some(({ expectedRows }) => expectedRows < whole.rows);
  const isParquet = order.spec.format === 'parquet';
  const sizes = await encodeShares(encode, whole, isSmaller ? SHARES.small : isLarger && !isParquet ? SHARES.large : SHARES.whole);
  if (!isParquet || !isLarger) return (rows) => between(sizes, rows);
  const counts = { rows: whole.rows, valuesPerRow: Math.max(1, order.spec.depth) };
  const columns = await measureColumns(connection, order.target, counts, encode);
  return (rows) => (rows <= whole.rows ? between(sizes, rows) : sizeOfGroups(columns, sizes, rows));
}

async function sizeOfPasses(connection: DuckDBConnection, order: CopyOrder, from: string, planned: PlannedSymbol): Promise<SizeOf> {
  const encode = encoderOf(connection, order, from);
  const whole = await encode();
  const isWhole = expectedRowTotal(planned) === whole.rows && planned.days.length === 1;
  const isParquet = order.spec.format === 'parquet';
  const sizes = await encodeShares(encode, whole, isWhole ? SHARES.whole : isParquet ? SHARES.passes : SHARES.large);
  if (!isParquet) return (rows) => between(sizes, rows);
  const groupBytes = between(sizes, ROW_GROUP_ROWS) - between(sizes, 0);
  return (rows) => Math.floor(rows / ROW_GROUP_ROWS) * groupBytes + between(sizes, rows % ROW_GROUP_ROWS);
}

type EncodeLimits = Pick<CopyOrder, 'rowsMax' | 'dictionaryMax'>;
type Encode = (limits?: EncodeLimits) => Promise<FileSize>;

function encoderOf(connection: DuckDBConnection, order: CopyOrder, from: string): Encode {
  return async (limits = {}) => {
    const rows = await copy(connection, { ...order, ...limits }, from);
    return { rows, bytes: (await stat(order.target)).size };
  };
}

async function encodeShares(encode: Encode, whole: FileSize, shares: readonly number[]): Promise<FileSize[]> {
  const sizes: FileSize[] = [];
  for (const rowsMax of new Set(shares.map((share) => Math.floor(whole.rows * share))))
    sizes.push(rowsMax < whole.rows ? await encode({ rowsMax }) : whole);
  return sizes;
}

/** Between the two next sizes, or in line with the two largest. */
function between(sizes: readonly FileSize[], rows: number): number {
  const above = sizes.findIndex((size) => size.rows >= rows);
  const at = above === -1 ? sizes.length - 1 : above;
  const [one, other] = [sizes[Math.max(0, at - 1)], sizes[at]];
  if (one === undefined || other === undefined) return 0;
  if (one.rows === other.rows) return other.bytes;
  return Math.ceil(one.bytes + ((other.bytes - one.bytes) * (rows - one.rows)) / (other.rows - one.rows));
}

interface Piece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: number;
  readonly hours: readonly SourceHour[];
}

const DAY_MS = 86_400_000;

/** Parts of the span with about `rowsMax` rows together, evenly over its rows; the whole span if it has no more. */
function slicesOf(spec: ExportSpec, planned: PlannedSymbol, rowsMax: number): PartPlan[] {
  const { toOrdinal, days } = planned;
  const hours = days.flatMap((day) => day.hours);
  const rowTotal = expectedRowTotal(planned);
  const whole: PartPlan = { fromMs: spec.fromMs, toMs: spec.toMs, toOrdinal, hours };
  if (rowTotal <= rowsMax) return [whole];
  const pieces =
    hours.length === 0
      ? days.map(
          ({ dayMs, rows }): Piece => ({
            fromMs: Math.max(dayMs, spec.fromMs),
            toMs: Math.min(dayMs + DAY_MS, spec.toMs),
            rows,
            hours: [],
          }),
        )
      : hours.map((hour): Piece => ({ ...hourWithin(spec, hour), hours: [hour] })).filter(({ rows }) => rows > 0);
  const total = pieces.reduce((sum, { rows }) => sum + rows, 0);
  if (total === 0) return [whole];
  const sliceRows = (rowsMax / SLICES) * (total / rowTotal);
  const gapRows = total / SLICES - sliceRows;
  return Array.from({ length: SLICES }, (_, index): PartPlan => {
    const start = gapRows / 2 + index * (sliceRows + gapRows);
    return { ...spanOf(pieces, start, start + sliceRows), toOrdinal };
  });
}

/** Span from one row of the pieces to another, by number. */
function spanOf(pieces: readonly Piece[], fromRow: number, toRow: number): Pick<PartPlan, 'fromMs' | 'toMs' | 'hours'> {
  const inside: { readonly fromMs: number; readonly toMs: number; readonly hours: readonly SourceHour[] }[] = [];
  let before = 0;
  for (const { fromMs, toMs, rows, hours } of pieces) {
    const timeAt = (row: number): number => fromMs + Math.ceil(((toMs - fromMs) * Math.min(Math.max(0, row - before), rows)) / rows);
    if (before < toRow && before + rows > fromRow) inside.push({ fromMs: timeAt(fromRow), toMs: timeAt(toRow), hours });
    before += rows;
  }
  return {
    fromMs: Math.min(...inside.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...inside.map(({ toMs }) => toMs)),
    hours: inside.flatMap(({ hours }) => hours),
  };
}
