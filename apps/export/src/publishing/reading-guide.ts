import { identifier, literal } from '@market-state/archive';
import { type ExportColumn, isCheckable, isMarkedInCsv, pickColumns } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/job';
import { utc } from '../utc';
import { FLAG_MEANINGS } from './evidence';
import type { ExportFacts } from './facts';

/** README of an export folder: contents, how to read and how to verify them. */
export function readMe({ job, files, conditions }: ExportFacts): string {
  const { spec } = job;
  const data = files.filter(({ part }) => part !== undefined);
  const simulated = job.symbols.filter(({ sourceKind }) => sourceKind !== 'live');
  const notWhole = conditions.filter(({ condition }) => condition !== 'available');
  return [
    `# ${spec.dataset} of ${spec.symbols.join(', ')}`,
    '',
    `From ${utc(spec.fromMs)} (inclusive) to ${utc(spec.toMs)} (exclusive), as of ${utc(spec.asOfMs)}: data received later is not included.`,
    `${job.rowsMade} rows in ${data.length} ${data.length === 1 ? 'file' : 'files'}, one per symbol and UTC day with rows. Export job ${job.jobId}.`,
    ...simulated.map(
      ({ symbol, sourceKind }) =>
        `${symbol} is ${sourceKind === 'recorded' ? 'a recording, replayed at other times' : 'simulated'}, not a live market.`,
    ),
    '',
    '| file | contents |',
    '|---|---|',
    '| `manifest.json` | every file with rows, bytes and SHA-256; the resolved request; the columns |',
    '| `SHA256SUMS` | digests of all files, for `sha256sum -c SHA256SUMS` |',
    '| `condition.json` | completeness of each symbol and day |',
    `| \`${gapsName(files.map(({ name }) => name))}\` | the gap ledger of the period, with the ids that the API uses |`,
    '| `instruments.json` | the symbols and what their venues report |',
    '| `load.sql` | views for DuckDB, with decimals as numbers |',
    ...(spec.dataset === 'packets'
      ? ['| `policy.json`, `keys.json` | the labeling policy, and the keys that packets are signed with |']
      : []),
    '',
    '## Reading',
    'Prices, sizes and rates are text, digit for digit as the venue sent them: cast them before computing. A value that the venue did not send is null, never 0.',
    'Times are UTC, in milliseconds and as timestamps. Rows of a symbol are in the order of its event log.',
    '',
    '```',
    'duckdb -c ".read load.sql"',
    '```',
    '',
    '## Columns',
    '| column | type |',
    '|---|---|',
    ...pickColumns(spec, spec.columns).map(({ name, type }) => `| \`${name}\` | ${type} |`),
    '',
    '`flags` is a sum of:',
    ...Object.entries(FLAG_MEANINGS).map(([bit, meaning]) => `- ${bit} ${meaning}`),
    '',
    '## Incomplete days',
    ...(notWhole.length === 0
      ? ['None.']
      : notWhole.map(
          ({ symbol, dayMs, condition, reasons }) => `- ${symbol} ${utc(dayMs).slice(0, 10)}: ${condition} (${reasons.join(', ')})`,
        )),
    '',
    '## Checking',
    '```',
    'sha256sum -c SHA256SUMS',
    'npx market-state verify-export .',
    '```',
    isCheckable(spec, spec.columns)
      ? 'The second command converts the rows back to the lines of the API and hashes them: the result equals `rows_sha256` of a replay of the same window.'
      : 'The selected columns are not enough to convert the rows back to the lines of the API: the second command only checks the files and their row counts.',
    '',
    'This data is context for research and monitoring: not a signal, advice or an order. The review pack of the job states how it may be used.',
    '',
  ].join('\n');
}

function gapsName(names: readonly string[]): string {
  return names.find((name) => name.startsWith('gaps.')) ?? 'gaps';
}

const DECIMALS = new Set([
  ...['price', 'size', 'venue_size', 'funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume'],
  ...['venue_funding_rate', 'open', 'high', 'low', 'close', 'volume', 'notional'],
]);

const CSV_LEVEL = /^(bid|ask)_(price|size|venue_size)_\d+$/;
const DECIMAL = 'DECIMAL(38, 18)';

/**
 * DuckDB script: a view of the files as they are, one with decimals as numbers, and the totals to compare with the
 * manifest.
 */
export function loadSql({ job, files }: ExportFacts): string {
  const { spec } = job;
  const names = files.flatMap(({ name, part }) => (part === undefined ? [] : [name]));
  const columns = pickColumns(spec, spec.columns);
  const asText = `${spec.dataset}_text`;
  const lines = [
    `-- ${spec.dataset} of export ${job.jobId}. Run this in the folder of the files: duckdb -c ".read load.sql"`,
    '',
    '-- Times have a time zone and are shown in UTC.',
    "SET TimeZone = 'UTC';",
    '',
    '-- The rows as stored: decimals are text, digit for digit.',
    `CREATE OR REPLACE VIEW ${asText} AS ${names.length === 0 ? emptyOf(columns) : `SELECT * FROM ${readerOf(spec, columns, names)}`};`,
    '',
    '-- The same rows with decimals as numbers. The product of two decimals overflows: multiply as DOUBLE.',
    `CREATE OR REPLACE VIEW ${spec.dataset} AS SELECT ${columns.map((column) => valueOf(column, spec)).join(', ')} FROM ${asText};`,
    '',
    `-- manifest.json lists ${job.rowsMade} rows.`,
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
