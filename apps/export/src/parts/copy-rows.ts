import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '@market-state/archive';
import { isLogDataset } from '@market-state/export-schema';
import type { ExportSpec, PartPlan } from '../jobs/job';
import { selectionOf } from './column-sql';

/** Default size of DuckDB; one unit of parallel reads. */
export const ROW_GROUP_ROWS = 122_880;
const DUPLICATE = 32;
export const TIME_CHECKED = 'exchange_ts_is_receive_time';
/** Column schema version, in files and manifest. */
export const FILE_SCHEMA = 'market_state_export.v1';

export interface CopyOrder {
  readonly jobId: string;
  readonly spec: ExportSpec;
  readonly symbol: string;
  readonly plan: PartPlan;
  readonly sources: readonly string[];
  readonly target: string;
  /** Only the first rows. */
  readonly rowsMax?: number;
  /** Parquet: maximum distinct values for a column to have a dictionary. Default: `DICTIONARY_SHARE`. */
  readonly dictionaryMax?: number;
}

/** SQL after FROM. Older files lack columns added later, which become null. */
export async function sourceOf(connection: DuckDBConnection, { spec, plan, sources }: CopyOrder): Promise<string> {
  const files = `[${sources.map(literal).join(', ')}]`;
  const conditions = conditionsOf(spec, plan);
  if (!isLogDataset(spec.dataset)) return `read_parquet(${files}, hive_partitioning = false)${conditions}`;
  const known = await connection.runAndReadAll(`SELECT count(*) FROM parquet_schema(${files}) WHERE name = ${literal(TIME_CHECKED)}`);
  const total = Number(known.getRows()[0]?.[0]);
  const isMixed = total > 0 && total < sources.length;
  const table = `read_parquet(${files}, hive_partitioning = false${isMixed ? ', union_by_name = true' : ''})`;
  return total > 0 ? `${table}${conditions}` : `(SELECT *, NULL::BOOLEAN AS ${TIME_CHECKED} FROM ${table})${conditions}`;
}

function conditionsOf({ dataset, asOfMs }: ExportSpec, { fromMs, toMs, toOrdinal }: PartPlan): string {
  if (dataset === 'candles') return '';
  if (dataset === 'packets') return ` WHERE window_end_ms >= ${fromMs} AND window_end_ms < ${toMs} AND known_ts_ms <= ${asOfMs}`;
  return ` WHERE exchange_ts_ms >= ${fromMs} AND exchange_ts_ms < ${toMs} AND received_ts_ms <= ${asOfMs} AND ordinal <= ${toOrdinal}
    AND flags & ${DUPLICATE} = 0`;
}

export async function copy(connection: DuckDBConnection, order: CopyOrder, from: string): Promise<number> {
  const { spec, symbol, target, rowsMax } = order;
  const { list, body } = selectionOf(spec, symbol);
  const rows = body === undefined ? from : `(SELECT *, ${body} FROM ${from})`;
  const limit = rowsMax === undefined ? '' : ` LIMIT ${rowsMax}`;
  const result = await connection.runAndReadAll(`COPY (SELECT ${list} FROM ${rows}${limit}) TO ${literal(target)} (${optionsOf(order)})`);
  return Number(result.getRows()[0]?.[0]);
}

/** DuckDB's default: a column has a dictionary if at most this share of its rows are distinct values. */
export const DICTIONARY_SHARE = 1 / 5;

function optionsOf(order: CopyOrder): string {
  const { jobId, spec, dictionaryMax } = order;
  const { dataset, format, compression, asOfMs } = spec;
  const packed = `COMPRESSION ${compression === 'none' && format === 'parquet' ? 'uncompressed' : compression}`;
  switch (format) {
    case 'parquet': {
      const metadata = { job: jobId, schema: FILE_SCHEMA, dataset, as_of_ms: String(asOfMs) };
      const own = Object.entries(metadata).map(([name, value]) => `${identifier(name)}: ${literal(value)}`);
      const dictionary = dictionaryMax === undefined ? '' : `, DICTIONARY_SIZE_LIMIT ${dictionaryMax}`;
      return `FORMAT parquet, ${packed}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}${dictionary}, KV_METADATA {${own.join(', ')}}`;
    }
    case 'csv':
      return `FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', ${packed}`;
    case 'ndjson':
      return `FORMAT json, ARRAY false, ${packed}`;
  }
}
