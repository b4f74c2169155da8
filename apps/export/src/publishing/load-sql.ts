import { identifier, literal } from '@market-state/archive';
import { type ExportColumn, isMarkedInCsv, pickColumns } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/spec';
import type { ExportFacts } from './facts';

/** Columns of text that hold a decimal. */
const DECIMALS = new Set([
  ...['price', 'size', 'venue_size', 'funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume'],
  ...['venue_funding_rate', 'open', 'high', 'low', 'close', 'volume', 'notional'],
]);
const CSV_LEVEL = /^(bid|ask)_(price|size|venue_size)_\d+$/;
const DECIMAL = 'DECIMAL(38, 18)';

/** A script for DuckDB: a view of the files as they are, one with decimals as numbers, and the totals that the manifest names. */
export function loadSql({ job, files }: ExportFacts): string {
  const { spec } = job;
  const names = files.flatMap(({ name, part }) => (part === undefined ? [] : [name]));
  const columns = pickColumns(spec, spec.columns);
  const asText = `${spec.dataset}_text`;
  const lines = [
    `-- ${spec.dataset} of export ${job.jobId}. Run it in the folder of the files: duckdb -c ".read load.sql"`,
    '',
    '-- Times have a zone; they are shown in UTC.',
    "SET TimeZone = 'UTC';",
    '',
    '-- The rows as they are in the files: decimals are text, digit for digit.',
    `CREATE OR REPLACE VIEW ${asText} AS ${names.length === 0 ? emptyOf(columns) : `SELECT * FROM ${readerOf(spec, columns, names)}`};`,
    '',
    '-- The same with decimals as numbers. A product of two of them overflows: multiply as DOUBLE.',
    `CREATE OR REPLACE VIEW ${spec.dataset} AS SELECT ${columns.map((column) => valueOf(column, spec)).join(', ')} FROM ${asText};`,
    '',
    `-- manifest.json says ${job.rowsMade} rows.`,
    columns.some(({ name }) => name === 'symbol')
      ? `SELECT symbol, count(*) AS rows FROM ${spec.dataset} GROUP BY ROLLUP (symbol) ORDER BY symbol NULLS LAST;`
      : `SELECT count(*) AS rows FROM ${spec.dataset};`,
  ];
  return `${lines.join('\n')}\n`;
}

function emptyOf(columns: readonly ExportColumn[]): string {
  return `SELECT ${columns.map(({ name, type }) => `NULL::${type} AS ${identifier(name)}`).join(', ')} WHERE false`;
}

function readerOf(spec: ExportSpec, columns: readonly ExportColumn[], names: readonly string[]): string {
  const files = `[${names.map(literal).join(', ')}]`;
  if (spec.format === 'parquet') return `read_parquet(${files}, hive_partitioning = false)`;
  const shape = `{${columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ')}}`;
  if (spec.format === 'ndjson') return `read_json(${files}, format = 'newline_delimited', columns = ${shape})`;
  return `read_csv(${files}, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = ${shape})`;
}

function valueOf({ name, type }: ExportColumn, { format }: ExportSpec): string {
  const column = identifier(name);
  if (format === 'csv' && isMarkedInCsv(name)) return `CASE WHEN ${column}[1] = '''' THEN ${column}[2:] ELSE ${column} END AS ${column}`;
  const isDecimal = type === 'VARCHAR' && (DECIMALS.has(name) || CSV_LEVEL.test(name));
  if (isDecimal) return `${column}::${DECIMAL} AS ${column}`;
  if (!type.startsWith('STRUCT')) return column;
  const level = `{'price': level.price::${DECIMAL}, 'size': level.size::${DECIMAL}, 'venue_size': level.venue_size::${DECIMAL}}`;
  return `list_transform(${column}, level -> ${level}) AS ${column}`;
}
