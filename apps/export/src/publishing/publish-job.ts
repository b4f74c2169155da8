import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Column, digestOfFile, literal, openEngine, writeParquet, identifier } from '@market-state/archive';
import type { labeling } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { fileExtension, mediaTypeOf, type ExportColumn, isCheckable, isMarkedInCsv, pickColumns } from '@market-state/export-schema';
import { inTransaction } from '@market-state/postgres';
import { costOf } from '@market-state/pricing';
import { type JobOutcome, RetryError, UnrecoverableError, holdLease } from '@market-state/queue';
import { failJob } from '../jobs/end-job';
import type { Job, ExportSpec } from '../jobs/job';
import { queueNext } from '../jobs/queue-next';
import { toPartError } from '../parts/part-error';
import { type StoredFile, insertSupportFiles } from '../store/files';
import { advance } from '../store/jobs';
import { reportFinished } from '../store/outbox';
import { beatPublication, claimPublication, leavePublication, readPack } from '../store/publications';
import { dateOf, utc, utcOrNull } from '../utc';
import type { WorkerDeps } from '../worker-deps';
import { manifestOf, reviewPackOf, FLAG_MEANINGS } from './evidence';
import { type ExportFacts, factsOf } from './facts';

const GAPS_MEMORY_MB = 64;
const JSON_TYPE = 'application/json';

interface Support {
  readonly files: readonly Omit<StoredFile, 'part'>[];
  readonly reviewPack: unknown;
}

/** Writes and stores the support files of a publishing attempt. `requested` is the original request. */
async function putSupportFiles(deps: WorkerDeps, facts: ExportFacts, requested: unknown, scratch: string): Promise<Support> {
  const { job } = facts;
  const put: Omit<StoredFile, 'part'>[] = [];

  async function putFile(name: string, contentType: string): Promise<void> {
    const file = join(scratch, name);
    const { bytes, sha256 } = await digestOfFile(file);
    const objectKey = `exports/${job.jobId}/p${job.fence}-${name}`;
    await deps.store.put(objectKey, file);
    put.push({ name, contentType, bytes, sha256, objectKey });
  }

  async function putText(name: string, contentType: string, text: string): Promise<void> {
    await writeFile(join(scratch, name), text);
    await putFile(name, contentType);
  }

  const putJson = (name: string, content: unknown): Promise<void> => putText(name, JSON_TYPE, `${JSON.stringify(content, null, 1)}\n`);

  await putJson('condition.json', conditionsFile(facts));
  await putJson('instruments.json', instrumentsFile(facts));
  const gapsName = `gaps.${fileExtension(job.spec.format, job.spec.compression)}`;
  await writeGaps(facts, scratch, gapsName);
  await putFile(gapsName, mediaTypeOf(job.spec.format, job.spec.compression));
  await putText('load.sql', 'application/sql', loadSql(facts));
  if (job.spec.dataset === 'packets') {
    await putJson('policy.json', await policyFile(facts));
    await putJson('keys.json', keysFile((await deps.labeling.call.listSigningKeys({})).keys));
  }
  await putText('README.md', 'text/markdown; charset=utf-8', readMe({ ...facts, files: [...facts.files, ...put] }));
  await putJson('manifest.json', manifestOf(facts, put));
  const manifest = put.at(-1);
  const sums = [...facts.files, ...put].map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  await putText('SHA256SUMS', 'text/plain; charset=utf-8', sums.join(''));
  const files = [...facts.files, ...put];
  return { files: put, reviewPack: reviewPackOf({ ...facts, files }, requested, manifest?.sha256 ?? '') };
}

function conditionsFile({ conditions }: ExportFacts) {
  return {
    days: conditions.map(({ symbol, dayMs, condition, reasons, rows, files }) => ({
      symbol,
      date: dateOf(dayMs),
      condition,
      reasons,
      rows,
      files,
    })),
  };
}

function instrumentsFile({ instruments, job }: ExportFacts) {
  return {
    instruments: instruments.map(({ symbol, venue, venueInstrument, contractValue }) => ({
      symbol,
      venue,
      venue_instrument: venueInstrument,
      contract_value: contractValue === '' ? null : contractValue,
      source_kind: job.symbols.find((known) => known.symbol === symbol)?.sourceKind || null,
    })),
  };
}

/** Policy of this release, and the policies that packets name. Loads the labeler only for exports of packets. */
async function policyFile({ parts }: ExportFacts) {
  const { loadPolicy } = await import('@market-state/labeler');
  const { digest, files } = loadPolicy();
  const named = [...new Set(parts.flatMap(({ facts }) => facts.policyDigests ?? []))].sort();
  return { policy_digest: digest, named_by_packets: named, files };
}

/** Keys in RFC 8037 form, as in /.well-known/market-state-keys.json. */
function keysFile(keys: readonly labeling.SigningKey[]) {
  return {
    keys: keys.map(({ keyId, publicKey, validFromMs, validToMs }) => ({
      kid: keyId,
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(publicKey).toString('base64url'),
      valid_from_utc: utc(validFromMs),
      valid_to_utc: utcOrNull(validToMs),
    })),
  };
}

const GAP_COLUMNS: readonly Column[] = [
  ...['gap_id', 'symbol', 'channel'].map((name): Column => ({ name, type: 'text' })),
  { name: 'start_ts_ms', type: 'int64' },
  { name: 'start_utc', type: 'text' },
  { name: 'end_ts_ms', type: 'int64' },
  ...['end_utc', 'reason', 'resolution'].map((name): Column => ({ name, type: 'text' })),
];

async function writeGaps({ job, gaps }: ExportFacts, scratch: string, name: string): Promise<void> {
  const { format, compression } = job.spec;
  const rows = gaps.map(({ gapId, symbol, channel, startMs, endMs, reason, resolution }) => [
    gapId,
    symbol,
    channel === '' ? null : channel,
    startMs,
    utc(startMs),
    endMs === 0 ? null : endMs,
    utcOrNull(endMs),
    reason,
    resolution,
  ]);
  const source = join(scratch, 'gaps-source.parquet');
  const engine = await openEngine({ memoryMb: GAPS_MEMORY_MB, spillFolder: scratch });
  try {
    await writeParquet(engine, source, { columns: GAP_COLUMNS, rows: piecesOf(rows) });
    const packed = compression === 'none' && format === 'parquet' ? 'uncompressed' : compression;
    const how = { parquet: 'FORMAT parquet', csv: `FORMAT csv, HEADER true, NULLSTR ''`, ndjson: 'FORMAT json, ARRAY false' }[format];
    await engine.run((connection) =>
      connection.run(
        `COPY (SELECT * FROM read_parquet(${literal(source)})) TO ${literal(join(scratch, name))} (${how}, COMPRESSION ${packed})`,
      ),
    );
  } finally {
    engine.close();
  }
}

async function* piecesOf<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

const RENEW_MS = 15_000;

/**
 * Publishes a job: support files, then the charge, then all files become available together. Safe to repeat after any
 * interruption. Does nothing while another attempt publishes.
 */
export async function publishJob(deps: WorkerDeps, jobId: string): Promise<JobOutcome> {
  const claimed = await claimPublication(deps.pool, jobId, deps.clock(), deps.clock() - deps.pace.silentMs);
  if (claimed === undefined) return 'done';
  const lease = holdLease({ renew: () => beatPublication(deps.pool, claimed, deps.clock()), everyMs: RENEW_MS });
  try {
    const job = claimed.status === 'publishing' ? claimed : await releaseFiles(deps, claimed);
    lease.signal.throwIfAborted();
    if (job !== undefined) await chargeAndFinish(deps, job);
    return 'done';
  } catch (error) {
    return await giveUp(deps, claimed, error);
  } finally {
    await lease.close();
    await queueNext(deps, claimed.tenantId);
  }
}

/**
 * Stores the support files and takes the step after which the job cannot be cancelled. Undefined if it was cancelled
 * before.
 */
async function releaseFiles(deps: WorkerDeps, claimed: Job): Promise<Job | undefined> {
  const { pool, store, clock } = deps;
  const facts = await factsOf(deps, claimed);
  const requested = (await readPack(pool, claimed.jobId))?.request;
  const scratch = await store.scratch();
  try {
    const { files, reviewPack } = await putSupportFiles(deps, facts, requested, scratch);
    const job = await inTransaction(pool, async (client) => {
      const moved = await advance(client, claimed.jobId, { to: 'publishing', nowMs: clock(), reviewPack }, claimed);
      if (moved !== undefined) await insertSupportFiles(client, claimed, files);
      return moved;
    });
    if (job === undefined) for (const { objectKey } of files) await store.delete(objectKey);
    return job;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function chargeAndFinish({ pool, credits, clock, keptMs, logger }: WorkerDeps, job: Job): Promise<void> {
  const observed = Math.min(job.estimatedCredits, costOf('export_job', job.rowsMade));
  const { receiptId } = await credits.call.settle({
    operationId: job.operationId,
    observedMarketStateCredits: 0,
    observedExportCredits: observed,
    artifactIds: [job.jobId],
  });
  const nowMs = clock();
  await inTransaction(pool, async (client) => {
    const ready = await advance(client, job.jobId, { to: 'ready', nowMs, expiresMs: nowMs + keptMs, credits: observed, receiptId }, job);
    if (ready !== undefined) await reportFinished(client, ready, nowMs);
  });
  logger.info({ job_id: job.jobId, rows: job.rowsMade, credits: observed }, 'an export job is ready');
}

async function giveUp(deps: WorkerDeps, job: Job, error: unknown): Promise<never> {
  const { pool, logger } = deps;
  if (isServiceError(error, 'reservation_over')) {
    await failJob(deps, job.jobId, 'reservation_over');
    throw new UnrecoverableError('reservation_over');
  }
  const fault = toPartError(error);
  if (job.status === 'running' && fault.reason === 'storage_full') {
    await failJob(deps, job.jobId, 'storage_full');
    throw new UnrecoverableError('storage_full');
  }
  logger.warn({ err: error, job_id: job.jobId }, 'publishing a job failed; will retry');
  await leavePublication(pool, job);
  throw new RetryError(undefined, { cause: error });
}

/** README of an export folder: contents, how to read and how to verify them. */
function readMe({ job, files, conditions }: ExportFacts): string {
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
function loadSql({ job, files }: ExportFacts): string {
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
