import { isCheckable, pickColumns } from '@market-state/export-schema';
import type { ExportFacts } from './facts';
import { FLAG_MEANINGS, utc } from './words';

/** A page for whoever opens the folder: what is in it, how to read it and how to check it. */
export function readMe({ job, files, conditions }: ExportFacts): string {
  const { spec } = job;
  const data = files.filter(({ part }) => part !== undefined);
  const simulated = job.symbols.filter(({ sourceKind }) => sourceKind !== 'live');
  const notWhole = conditions.filter(({ condition }) => condition !== 'available');
  return [
    `# ${spec.dataset} of ${spec.symbols.join(', ')}`,
    '',
    `From ${utc(spec.fromMs)} (inclusive) to ${utc(spec.toMs)} (exclusive), as of ${utc(spec.asOfMs)}: what was received later is not in it.`,
    `${job.rowsMade} rows in ${data.length} ${data.length === 1 ? 'file' : 'files'}, one for each symbol and UTC day with rows. Export job ${job.jobId}.`,
    ...simulated.map(
      ({ symbol, sourceKind }) =>
        `${symbol} is ${sourceKind === 'recorded' ? 'a recording, played again at other times' : 'simulated'}, no live market.`,
    ),
    '',
    '| file | what it says |',
    '|---|---|',
    '| `manifest.json` | every file with rows, bytes and SHA-256; the request as it was resolved; the columns |',
    '| `SHA256SUMS` | digests of all files, for `sha256sum -c SHA256SUMS` |',
    '| `condition.json` | for each symbol and day whether the rows are there and whole |',
    `| \`${gapsName(files.map(({ name }) => name))}\` | the gap ledger of the span, with the ids that the API uses |`,
    '| `instruments.json` | the symbols and what their venues report |',
    '| `load.sql` | views for DuckDB, with decimals as numbers |',
    ...(spec.dataset === 'packets'
      ? ['| `policy.json`, `keys.json` | the labeling policy, and the keys that packets are signed with |']
      : []),
    '',
    '## Reading',
    'Prices, sizes and rates are text, digit for digit as the venue sent them: cast them where you compute. A value that the venue did not give is null, never 0.',
    'Times are UTC, as milliseconds since the epoch and as a time beside them. Rows of a symbol are in the order of its event log.',
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
    '## Days that are not whole',
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
      ? 'The second command turns the rows back into the lines of the API and hashes them: the result equals `rows_sha256` of a replay of the same window.'
      : 'The columns that were picked are too few to turn the rows back into the lines of the API: the second command checks the files and their rows only.',
    '',
    'This data is context for research and monitoring: no signal, no advice, no order. What may be done with it is in the review pack of the job.',
    '',
  ].join('\n');
}

function gapsName(names: readonly string[]): string {
  return names.find((name) => name.startsWith('gaps.')) ?? 'gaps';
}
