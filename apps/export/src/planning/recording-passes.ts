import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '@market-state/archive';
import type { marketData } from '@market-state/contracts';
import { isLogDataset } from '@market-state/export-schema';
import { timeLimit } from '@market-state/lifecycle';
import type { ExportSpec, PartPlan } from '../jobs/job';
import { type CopyOrder, ROW_GROUP_ROWS } from '../parts/copy-rows';
import type { Upstreams } from '../upstreams';
import { channelOf, expectedRowTotal, type PlannedSymbol } from './plan-symbol';

/** Rows encoded of a recording that repeats, as a multiple of a sample's. Text needs more memory. */
const PASS_SAMPLES = { parquet: 8, csv: 4, ndjson: 4 };
/** Small, as in files that services write, because copies are read in row groups. */
const SOURCE_GROUP_ROWS = 4_096;
/** Rows searched for the length of a pass, as a multiple of a sample's. */
const SEARCHED = 4;
const HOUR_MS = 3_600_000;

interface SearchLimits {
  readonly rowsMax: number;
  /** On the clock of `performance.now()`. */
  readonly endMs: number;
}

export interface SampleLimits extends SearchLimits {
  /** For one read. */
  readonly readMsMax: number;
}

/** Pass of a recording that repeats. It may begin anywhere in the recording. */
interface Pass {
  readonly plan: PartPlan;
  readonly lengthMs: number;
  readonly rows: number;
  readonly ordinals: number;
}

/** Undefined if the rows do not repeat, or only after more of them than a sample has. */
export async function findPass(
  { marketData }: Pick<Upstreams, 'marketData'>,
  spec: ExportSpec,
  { symbol, sourceKind, toOrdinal, days }: PlannedSymbol,
  { rowsMax, endMs, readMsMax }: SampleLimits,
): Promise<Pass | undefined> {
  const { dataset, asOfMs } = spec;
  const hours = days.flatMap((day) => day.hours);
  const [first] = hours;
  if (sourceKind !== 'recorded' || first === undefined || !isLogDataset(dataset)) return undefined;
  const wanted = { symbol, channel: channelOf(dataset), startMs: spec.fromMs, endMs: spec.toMs, asOfMs };
  const messages = marketData.call.streamStoredRows(
    { ...wanted, afterOrdinal: first.firstOrdinal - 1, toOrdinal },
    { signal: timeLimit(readMsMax) },
  );
  const starts = await findStarts(messages, { rowsMax: rowsMax * SEARCHED, endMs });
  if (starts === undefined) return undefined;
  const { firstMs: fromMs, one, next } = starts;
  const rows = next.row - one.row;
  if (rows > rowsMax) return undefined;
  const lengthMs = next.atMs - one.atMs;
  const toMs = fromMs + lengthMs;
  const ofPass = hours.filter(({ hourMs }) => hourMs < toMs && hourMs + HOUR_MS > fromMs);
  return { plan: { fromMs, toMs, toOrdinal, hours: ofPass }, lengthMs, rows, ordinals: next.ordinal - one.ordinal };
}

interface PassStart {
  /** Exchange time. */
  readonly atMs: number;
  readonly row: number;
  readonly ordinal: number;
}

interface PassStarts {
  /** Exchange time of the first row, which need not start a pass. */
  readonly firstMs: number;
  readonly one: PassStart;
  readonly next: PassStart;
}

/** Starts of two passes in a row; undefined if they are not found within the limits. */
async function findStarts(
  messages: AsyncIterable<marketData.StreamStoredRowsResponse>,
  { rowsMax, endMs }: SearchLimits,
): Promise<PassStarts | undefined> {
  let firstMs: number | undefined;
  let pass: number | undefined;
  let one: PassStart | undefined;
  let read = 0;
  for await (const { rows } of messages) {
    for (const row of rows) {
      firstMs ??= row.exchangeTsMs;
      if (pass !== undefined && row.pass !== pass) {
        const start = { atMs: row.exchangeTsMs, row: read, ordinal: row.ordinal };
        if (one !== undefined) return { firstMs, one, next: start };
        one = start;
      }
      ({ pass } = row);
      read += 1;
    }
    if (read >= rowsMax || performance.now() > endMs) return undefined;
  }
  return undefined;
}

/** Writes as many copies of a pass as the span has, or as show what each further one adds. Returns SQL after FROM. */
export async function copyPasses(
  connection: DuckDBConnection,
  { spec, target }: CopyOrder,
  from: string,
  { pass, planned, rowsMax }: { readonly pass: Pass; readonly planned: PlannedSymbol; readonly rowsMax: number },
): Promise<string> {
  const rows = Math.min(expectedRowTotal(planned), PASS_SAMPLES[spec.format] * rowsMax, ROW_GROUP_ROWS);
  const copies = Array.from({ length: Math.ceil(rows / pass.rows) }, (_, index) => {
    const shiftMs = index * pass.lengthMs;
    return `SELECT * REPLACE (ordinal + ${index * pass.ordinals} AS ordinal, pass + ${index} AS pass,
      exchange_ts_ms + ${shiftMs} AS exchange_ts_ms, received_ts_ms + ${shiftMs} AS received_ts_ms) FROM ${from}`;
  });
  const passes = `(SELECT * FROM (${copies.join(' UNION ALL ')}) LIMIT ${rows})`;
  if (spec.format !== 'parquet') return passes;
  // A file, because row groups end with each part of a union.
  const file = literal(`${target}-passes`);
  await connection.run(`COPY ${passes} TO ${file} (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE ${SOURCE_GROUP_ROWS})`);
  return `read_parquet(${file})`;
}
