import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import {
  type ExportSpec,
  type FailureReason,
  FAILURES,
  type Job,
  type JobCaller,
  type JobStatus,
  type JobSymbol,
  type PlannedPart,
} from '../jobs/job';
import type { ExportJob } from './generated/tables';
import { tables } from './tables';

export type JobRow = Selectable<ExportJob>;

export function fromJobRow(row: JobRow): Job {
  return {
    jobId: row.job_id,
    tenantId: row.tenant_id,
    operationId: row.operation_id,
    requestId: row.request_id,
    planId: row.plan_id,
    quoteId: row.quote_id,
    spec: row.spec as ExportSpec,
    symbols: row.symbols as readonly JobSymbol[],
    planDigest: row.plan_digest,
    status: row.status,
    fence: row.fence,
    rowTotal: Number(row.row_total),
    byteTotal: Number(row.byte_total),
    rowsMade: Number(row.rows_made),
    bytesMade: Number(row.bytes_made),
    partTotal: row.part_total,
    partsMade: row.parts_made,
    estimatedCredits: row.estimated_credits,
    observedCredits: row.observed_credits,
    receiptId: row.receipt_id,
    createdMs: Number(row.created_ms),
    startedMs: toNumber(row.started_ms),
    finishedMs: toNumber(row.finished_ms),
    expiresMs: toNumber(row.expires_ms),
    errorReason: row.error_reason as FailureReason | null,
    errorMessage: row.error_message,
  };
}

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}

interface NewJob
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

const PARTS = `
  INSERT INTO export_part (job_id, number, symbol, day_ms, name, plan, row_total, byte_total, state, attempt, failures, due_ms)
  SELECT $1, part.number, part.symbol, part."dayMs", part.name, part.plan, part."rowTotal", part."byteTotal", 'waiting', 0, 0, 0
  FROM jsonb_to_recordset($2) AS part
    (number int, symbol text, "dayMs" bigint, name text, plan jsonb, "rowTotal" bigint, "byteTotal" bigint)`;

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

export function findAnyJob(on: Queryable, jobId: string): Promise<Job | undefined> {
  return one(on, tables.selectFrom('export_job').selectAll().where('job_id', '=', jobId));
}

export interface JobCursor {
  readonly createdMs: number;
  readonly jobId: string;
}

export async function listJobs(
  on: Queryable,
  tenantId: string,
  { statuses, after, limit }: { readonly statuses: readonly JobStatus[]; readonly after: JobCursor | undefined; readonly limit: number },
): Promise<Job[]> {
  let statement = tables.selectFrom('export_job').selectAll().where('tenant_id', '=', tenantId);
  if (statuses.length > 0) statement = statement.where('status', 'in', [...statuses]);
  if (after !== undefined) statement = statement.where(sql<boolean>`(created_ms, job_id) < (${after.createdMs}, ${after.jobId})`);
  const { rows } = await run<JobRow>(on, statement.orderBy('created_ms', 'desc').orderBy('job_id', 'desc').limit(limit));
  return rows.map(fromJobRow);
}

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

/** Serialises a tenant's transactions, so that its limits are counted correctly. */
export async function lockTenant(on: Queryable, tenantId: string): Promise<void> {
  await on.query(`SELECT pg_advisory_xact_lock(hashtextextended('export ' || $1, 0))`, [tenantId]);
}

const NEXT: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['publishing', 'failed', 'cancelled'],
  publishing: ['ready', 'failed'],
  ready: ['expired'],
  failed: [],
  cancelled: [],
  expired: [],
};

type Step =
  | { readonly to: 'running' | 'cancelled' | 'expired'; readonly nowMs: number }
  | { readonly to: 'publishing'; readonly nowMs: number; readonly reviewPack: unknown }
  | { readonly to: 'ready'; readonly nowMs: number; readonly expiresMs: number; readonly credits: number; readonly receiptId: string }
  | { readonly to: 'failed'; readonly nowMs: number; readonly reason: FailureReason; readonly detail?: string };

/** Fencing token of the publishing attempt; writes of superseded attempts are refused. */
interface Fence {
  readonly fence: number;
}

/**
 * Moves a job to its next status; the only writer of that column. Undefined if the transition is not allowed or another
 * attempt publishes the job.
 */
export async function advance(on: Queryable, jobId: string, step: Step, fence?: Fence): Promise<Job | undefined> {
  const before = (Object.keys(NEXT) as JobStatus[]).filter((status) => NEXT[status].includes(step.to) && !mayBeCharged(status, step));
  let statement = tables
    .updateTable('export_job')
    .set({ status: step.to, ...changesOf(step) })
    .where('job_id', '=', jobId)
    .where('status', 'in', before);
  if (fence !== undefined) statement = statement.where('fence', '=', fence.fence);
  const { rows } = await run<JobRow>(on, statement.returningAll());
  return rows[0] === undefined ? undefined : fromJobRow(rows[0]);
}

/** While a job is publishing, only account can say that it was not charged. */
function mayBeCharged(status: JobStatus, step: Step): boolean {
  return status === 'publishing' && step.to === 'failed' && step.reason !== 'reservation_over';
}

function changesOf(step: Step) {
  const nowMs = String(step.nowMs);
  switch (step.to) {
    case 'running':
      return { started_ms: nowMs };
    case 'cancelled':
      return { finished_ms: nowMs };
    case 'expired':
      return {};
    case 'publishing':
      return { review_pack: JSON.stringify(step.reviewPack) };
    case 'ready':
      return {
        finished_ms: nowMs,
        expires_ms: String(step.expiresMs),
        observed_credits: step.credits,
        receipt_id: step.receiptId,
        credits_over: true,
      };
    case 'failed':
      return {
        finished_ms: nowMs,
        error_reason: step.reason,
        error_message: step.detail === undefined ? FAILURES[step.reason] : `${FAILURES[step.reason]} ${step.detail}`,
      };
  }
}

/** Idempotent. */
export async function noteReservation(on: Queryable, operationId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('reservation')
      .values({ operation_id: operationId, created_ms: String(nowMs) })
      .onConflict((conflict) => conflict.column('operation_id').doUpdateSet({ created_ms: String(nowMs) })),
  );
}

/** Returns false if there was none: the credits were released in the meantime. */
export async function endReservation(on: Queryable, operationId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.deleteFrom('reservation').where('operation_id', '=', operationId));
  return rowCount === 1;
}

/** Operations with credits reserved before `beforeMs` and no job: their process was killed. */
export async function listAbandoned(on: Queryable, beforeMs: number, limit: number): Promise<string[]> {
  const { rows } = await run<{ operation_id: string }>(
    on,
    tables.selectFrom('reservation').select('operation_id').where('created_ms', '<', String(beforeMs)).orderBy('created_ms').limit(limit),
  );
  return rows.map((row) => row.operation_id);
}
