import { type Queryable, run } from '@market-state/postgres';
import { sql } from 'kysely';
import type { Job, JobCaller, JobStatus } from '../jobs/job';
import type { PlannedPart } from '../jobs/part';
import { fromJobRow, type JobRow } from './job-row';
import { tables } from './tables';

/** A job that begins. */
export interface NewJob
  extends Pick<
    Job,
    | 'jobId'
    | 'operationId'
    | 'requestId'
    | 'planId'
    | 'quoteId'
    | 'spec'
    | 'symbols'
    | 'planDigest'
    | 'rowTotal'
    | 'byteTotal'
    | 'estimatedCredits'
    | 'createdMs'
  > {
  readonly caller: JobCaller;
  readonly request: unknown;
  readonly parts: readonly PlannedPart[];
}

/** Parts of one statement: its parameters are one JSON text. */
const PARTS = `
  INSERT INTO export_part (job_id, number, symbol, day_ms, name, plan, row_total, byte_total, state, attempt, failures, due_ms)
  SELECT $1, part.number, part.symbol, part."dayMs", part.name, part.plan, part."rowTotal", part."byteTotal", 'waiting', 0, 0, 0
  FROM jsonb_to_recordset($2) AS part
    (number int, symbol text, "dayMs" bigint, name text, plan jsonb, "rowTotal" bigint, "byteTotal" bigint)`;

/** Writes a job with its parts; the caller's transaction holds both. */
export async function insertJob(on: Queryable, job: NewJob): Promise<void> {
  const { caller, parts } = job;
  await run(
    on,
    tables.insertInto('export_job').values({
      job_id: job.jobId,
      tenant_id: caller.tenantId,
      operation_id: job.operationId,
      request_id: job.requestId,
      key_id: caller.keyId,
      account_id: caller.accountId,
      plan_id: job.planId,
      quote_id: job.quoteId,
      request: JSON.stringify(job.request),
      spec: JSON.stringify(job.spec),
      plan_digest: job.planDigest,
      symbols: JSON.stringify(job.symbols),
      status: 'queued',
      fence: 0,
      publish_beat_ms: '0',
      row_total: String(job.rowTotal),
      byte_total: String(job.byteTotal),
      rows_made: '0',
      bytes_made: '0',
      part_total: parts.length,
      parts_made: 0,
      estimated_credits: job.estimatedCredits,
      created_ms: String(job.createdMs),
      credits_over: false,
    }),
  );
  await on.query(PARTS, [job.jobId, JSON.stringify(parts)]);
}

async function one(on: Queryable, statement: Parameters<typeof run<JobRow>>[1]): Promise<Job | undefined> {
  const { rows } = await run<JobRow>(on, statement);
  return rows[0] === undefined ? undefined : fromJobRow(rows[0]);
}

export function findJob(on: Queryable, tenantId: string, jobId: string): Promise<Job | undefined> {
  return one(on, tables.selectFrom('export_job').selectAll().where('job_id', '=', jobId).where('tenant_id', '=', tenantId));
}

export function findJobOfOperation(on: Queryable, operationId: string): Promise<Job | undefined> {
  return one(on, tables.selectFrom('export_job').selectAll().where('operation_id', '=', operationId));
}

/** The job of any tenant. */
export function findAnyJob(on: Queryable, jobId: string): Promise<Job | undefined> {
  return one(on, tables.selectFrom('export_job').selectAll().where('job_id', '=', jobId));
}

/** Where the next page of a list begins: after this job. */
export interface JobPlace {
  readonly createdMs: number;
  readonly jobId: string;
}

/** Jobs of a tenant, newest first. */
export async function listJobs(
  on: Queryable,
  tenantId: string,
  { statuses, after, limit }: { readonly statuses: readonly JobStatus[]; readonly after: JobPlace | undefined; readonly limit: number },
): Promise<Job[]> {
  let statement = tables.selectFrom('export_job').selectAll().where('tenant_id', '=', tenantId);
  if (statuses.length > 0) statement = statement.where('status', 'in', [...statuses]);
  if (after !== undefined) statement = statement.where(sql<boolean>`(created_ms, job_id) < (${after.createdMs}, ${after.jobId})`);
  const { rows } = await run<JobRow>(on, statement.orderBy('created_ms', 'desc').orderBy('job_id', 'desc').limit(limit));
  return rows.map(fromJobRow);
}

/** Jobs of a tenant that wait for their first part. */
export async function countQueued(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await run<{ total: string | number | bigint }>(
    on,
    tables
      .selectFrom('export_job')
      .select((select) => select.fn.countAll().as('total'))
      .where('tenant_id', '=', tenantId)
      .where('status', '=', 'queued'),
  );
  return Number(rows[0]?.total ?? 0);
}

/** One transaction at a time for a tenant, so that what it may have at most is counted right. */
export async function lockTenant(on: Queryable, tenantId: string): Promise<void> {
  await on.query(`SELECT pg_advisory_xact_lock(hashtextextended('export ' || $1, 0))`, [tenantId]);
}
