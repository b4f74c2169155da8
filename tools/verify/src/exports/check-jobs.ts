import { digestOfFile, type ObjectStore } from '@market-state/archive';
import { sweepObjects } from '@market-state/export';
import type { Pool } from 'pg';
import { sumOf } from '@market-state/testing';
import { auditLedger, firstOf, type Report } from '../harness';

interface JobRecord {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly status: string;
  readonly error_reason: string | null;
  readonly dataset: string;
  readonly row_total: string;
  readonly rows_made: string;
  readonly part_total: number;
  readonly fence: number;
}

export interface PartRecord {
  readonly job_id: string;
  readonly number: number;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
  readonly failures: number;
}

interface FileRecord {
  readonly job_id: string;
  readonly name: string;
  readonly part: number;
  readonly bytes: string;
  readonly sha256: string;
  readonly object_key: string;
}

export async function readJobs(pool: Pool): Promise<JobRecord[]> {
  return (await pool.query<JobRecord>(`SELECT *, spec->>'dataset' AS dataset FROM export_job ORDER BY created_ms`)).rows;
}

export async function readParts(pool: Pool): Promise<PartRecord[]> {
  return (await pool.query<PartRecord>('SELECT job_id, number, name, state, attempt, failures FROM export_part')).rows;
}

async function readFiles(pool: Pool): Promise<FileRecord[]> {
  return (await pool.query<FileRecord>('SELECT * FROM export_file')).rows;
}

export async function openJobs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM export_job WHERE status IN ('queued', 'running', 'publishing')`,
  );
  return rows[0]?.total ?? 0;
}

export async function newestClaim(pool: Pool, sinceMs: number): Promise<PartRecord | undefined> {
  const { rows } = await pool.query<PartRecord>(
    `SELECT job_id, number, name, state, attempt, failures FROM export_part
     WHERE state = 'running' AND heartbeat_ms > $1 ORDER BY heartbeat_ms DESC LIMIT 1`,
    [sinceMs],
  );
  return rows[0];
}

export async function findPart(pool: Pool, { job_id: jobId, number }: PartRecord): Promise<PartRecord | undefined> {
  const { rows } = await pool.query<PartRecord>(
    'SELECT job_id, number, name, state, attempt, failures FROM export_part WHERE job_id = $1 AND number = $2',
    [jobId, number],
  );
  return rows[0];
}

const SHOWN_MAX = 10;

interface CheckedSystem {
  readonly jobs: Pool;
  readonly ledger: Pool;
  readonly store: ObjectStore;
}

/** Upper bound for repeated parts: each kill, freeze or restart may cost one part per worker. */
interface Disturbances {
  readonly remadeMax: number;
}

export async function checkJobs(
  system: CheckedSystem,
  ordered: readonly string[],
  { remadeMax }: Disturbances,
  report: Report,
): Promise<void> {
  const [jobs, parts] = [await readJobs(system.jobs), await readParts(system.jobs)];
  const ready = jobs.filter(({ status }) => status === 'ready');
  report.fail(...firstOf([...lost(jobs, ordered), ...jobs.flatMap(faultsOfJob)], SHOWN_MAX));
  const cancelled = new Set(jobs.filter(({ status }) => status === 'cancelled').map(({ job_id: id }) => id));
  const wanted = parts.filter(({ job_id: id }) => !cancelled.has(id));
  const remade = sumOf(wanted.map(({ attempt, failures, state }) => Math.max(0, attempt - failures - (state === 'made' ? 1 : 0))));
  report.check(remade <= remadeMax, `${remade} parts were restarted; the maximum is ${remadeMax}.`);
  report.figure('jobs', `${jobs.length}: ${ready.length} ready, ${jobs.filter(({ status }) => status === 'failed').length} failed`);
  report.figure('parts', `${parts.length}; ${remade} restarted, ${sumOf(parts.map(({ failures }) => failures))} failed tries`);
  await checkLedger(system.ledger, ready, report);
  await checkStore(system, ready, parts, report);
}

function lost(jobs: readonly JobRecord[], ordered: readonly string[]): string[] {
  const known = new Set(jobs.map(({ job_id: id }) => id));
  const doubled = jobs.length - new Set(jobs.map(({ operation_id: id }) => id)).size;
  return [
    ...ordered.filter((id) => !known.has(id)).map((id) => `Job ${id} is lost.`),
    ...(jobs.length > ordered.length ? [`${jobs.length} jobs for ${ordered.length} orders.`] : []),
    ...(doubled > 0 ? [`${doubled} operations have two jobs.`] : []),
  ];
}

function faultsOfJob(job: JobRecord): string[] {
  if (job.status === 'failed') return job.error_reason === null ? [`Job ${job.job_id} failed without a reason.`] : [];
  if (job.status !== 'ready') return job.status === 'cancelled' ? [] : [`Job ${job.job_id} is still ${job.status}.`];
  const isWhole = job.dataset === 'candles' || job.rows_made === job.row_total;
  return isWhole ? [] : [`Job ${job.job_id} is ready with ${job.rows_made} rows of ${job.row_total}.`];
}

export async function checkLedger(ledger: Pool, ready: readonly Pick<JobRecord, 'operation_id'>[], report: Report): Promise<void> {
  const { faults } = await auditLedger(ledger);
  report.fail(...faults);
  // Status calls belong to the family too, but cost no export credits.
  const receipts = await ledger.query<{ operation_id: string }>(
    `SELECT operation_id FROM receipt WHERE workload_family = 'export_job' AND observed_export_credits > 0`,
  );
  const charged = receipts.rows.map((row) => row.operation_id).sort();
  const wanted = ready.map((job) => job.operation_id).sort();
  report.check(charged.join() === wanted.join(), `${charged.length} receipts for ${wanted.length} ready jobs, or for other jobs.`);
  const holds = await ledger.query('SELECT id FROM credit_hold WHERE ended_at IS NULL');
  report.check(holds.rows.length === 0, `${holds.rows.length} holds are left.`);
  report.figure('receipts', `${charged.length}; ${holds.rows.length} holds left`);
}

/** After the sweep of orphans, the objects are exactly the files of ready jobs and match their records. */
export async function checkStore(
  { jobs: pool, store }: CheckedSystem,
  ready: readonly JobRecord[],
  parts: readonly PartRecord[],
  report: Report,
): Promise<void> {
  const before = (await store.list('exports/')).length;
  const swept = await sweepObjects({ pool, store }, Infinity);
  const isReady = new Set(ready.map(({ job_id: id }) => id));
  const files = (await readFiles(pool)).filter(({ job_id: id }) => isReady.has(id));
  const objects = new Set(await store.list('exports/'));
  const attempts = new Map(parts.map(({ job_id: id, number, attempt }) => [`${id} ${number}`, attempt]));
  report.check(objects.size === files.length, `${objects.size} objects are in the store, but ${files.length} files in the records.`);
  const faults: string[] = [];
  for (const file of files) faults.push(...(await faultsOfFile(file, objects, attempts, store)));
  for (const id of isReady) {
    const manifests = [...objects].filter((key) => key.startsWith(`exports/${id}/`) && key.endsWith('-manifest.json')).length;
    if (manifests !== 1) faults.push(`Job ${id} has ${manifests} manifests.`);
  }
  report.fail(...firstOf(faults, SHOWN_MAX));
  report.figure('objects', `${before}, ${objects.size} after the sweep of ${swept}; ${files.length} files in the records`);
}

async function faultsOfFile(
  { job_id: id, name, part, object_key: key, sha256, bytes }: FileRecord,
  objects: ReadonlySet<string>,
  attempts: ReadonlyMap<string, number>,
  store: ObjectStore,
): Promise<string[]> {
  if (!objects.has(key)) return [`${name} of ${id} is not in the store.`];
  const attempt = attempts.get(`${id} ${part}`);
  if (part > 0 && !key.endsWith(`/${attempt}-${name}`)) return [`${name} of ${id} belongs to an old try: ${key}, the last is ${attempt}.`];
  const found = await digestOfFile(await store.get(key));
  return found.sha256 === sha256 && found.bytes === Number(bytes) ? [] : [`${name} of ${id} does not match its record.`];
}
