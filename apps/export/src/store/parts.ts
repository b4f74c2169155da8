import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { PartKey, WaitingPart } from '../jobs/export-queue';
import type { Job, PartFacts, PartPlan } from '../jobs/job';
import { advance, findAnyJob } from './jobs';

/** Serialises claims, so that tenant limits are counted correctly. */
const CLAIM_LOCK = 6_310_001;

export interface ClaimedPart {
  readonly job: Job;
  readonly number: number;
  readonly symbol: string;
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  readonly rowTotal: number;
  readonly byteTotal: number;
  readonly attempt: number;
  readonly failures: number;
}

const JOBS_PER_TENANT = 3;
const PARTS_PER_TENANT = 2;
/** Retry delay of a part over its tenant's limit, unless it is promoted earlier. */
const LIMITED_MS = 5_000;
/** Retry delay of a part that changed while being claimed. */
const CHANGED_MS = 1_000;
/** Attempts of a part that ended without success or a reported failure, because its worker died or was stopped. */
const UNREPORTED_MAX = 10;

interface PartRow {
  readonly job_id: string;
  readonly number: number;
  readonly symbol: string;
  readonly day_ms: string;
  readonly name: string;
  readonly plan: PartPlan;
  readonly row_total: string;
  readonly byte_total: string;
  readonly attempt: number;
  readonly failures: number;
}

/** SQL for a tenant's running jobs and parts, without the given part and its job. */
const RUNNING_JOBS = `(SELECT count(*)::int FROM export_job AS other
  WHERE other.tenant_id = job.tenant_id AND other.status IN ('running', 'publishing') AND other.job_id <> job.job_id)`;
const PARTS_UNDER_WAY = `(SELECT count(*)::int FROM export_part AS other JOIN export_job AS of_other USING (job_id)
  WHERE of_other.tenant_id = job.tenant_id AND other.state = 'running' AND (other.job_id, other.number) <> (part.job_id, part.number))`;

const LOOK = `
  SELECT part.state, part.attempt, part.failures, part.due_ms, part.heartbeat_ms, job.status,
    ${RUNNING_JOBS} AS running_jobs, ${PARTS_UNDER_WAY} AS parts_under_way
  FROM export_part AS part JOIN export_job AS job USING (job_id) WHERE part.job_id = $1 AND part.number = $2`;

interface PartStateRow {
  readonly state: 'waiting' | 'running' | 'made';
  readonly attempt: number;
  readonly failures: number;
  readonly due_ms: string;
  readonly heartbeat_ms: string | null;
  readonly status: Job['status'];
  readonly running_jobs: number;
  readonly parts_under_way: number;
}

const CLAIM = `
  UPDATE export_part SET state = 'running', attempt = attempt + 1, worker = $4, heartbeat_ms = $5
  WHERE job_id = $1 AND number = $2 AND attempt = $3 AND state <> 'made' RETURNING *`;

interface Claimant {
  readonly worker: string;
  readonly nowMs: number;
  /** Silence after which a worker loses its part. */
  readonly silentMs: number;
}

interface NotYet {
  readonly againInMs: number;
}

/**
 * Undefined if the part is made or its job has ended; `given_up` if too many workers were lost on it. Claims are
 * serialised, so that tenant limits are counted correctly.
 */
export function claimPart(
  pool: Pool,
  { jobId, number }: PartKey,
  { worker, nowMs, silentMs }: Claimant,
): Promise<ClaimedPart | NotYet | 'given_up' | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
    const found = (await client.query<PartStateRow>(LOOK, [jobId, number])).rows[0];
    if (found === undefined || found.state === 'made' || !(found.status === 'queued' || found.status === 'running')) return undefined;
    const againInMs = waitOf(found, nowMs, silentMs);
    if (againInMs > 0) return { againInMs };
    if (found.attempt - found.failures >= UNREPORTED_MAX) return 'given_up';
    const { rows } = await client.query<PartRow>(CLAIM, [jobId, number, found.attempt, worker, nowMs]);
    const row = rows[0];
    if (row === undefined) return { againInMs: CHANGED_MS };
    const job = (await advance(client, jobId, { to: 'running', nowMs })) ?? (await findAnyJob(client, jobId));
    if (job === undefined) throw new Error(`part ${row.number} of ${jobId} has no job`);
    return {
      job,
      number: row.number,
      symbol: row.symbol,
      dayMs: Number(row.day_ms),
      name: row.name,
      plan: row.plan,
      rowTotal: Number(row.row_total),
      byteTotal: Number(row.byte_total),
      attempt: row.attempt,
      failures: row.failures,
    };
  });
}

function waitOf(found: PartStateRow, nowMs: number, silentMs: number): number {
  if (found.state === 'running' && Number(found.heartbeat_ms) + silentMs >= nowMs) return Number(found.heartbeat_ms) + silentMs - nowMs + 1;
  if (found.state === 'waiting' && Number(found.due_ms) > nowMs) return Number(found.due_ms) - nowMs;
  const isLimited = found.parts_under_way >= PARTS_PER_TENANT || (found.status === 'queued' && found.running_jobs >= JOBS_PER_TENANT);
  return isLimited ? LIMITED_MS : 0;
}

/** Per tenant, the first part of each job, then those of the oldest job. `$4`: a tenant, or null for all. */
const NEXT_PARTS = `
  WITH busy AS (SELECT tenant_id, count(*) AS jobs FROM export_job WHERE status IN ('running', 'publishing') GROUP BY tenant_id)
  SELECT "jobId", number, "createdMs" FROM (
    SELECT part.job_id AS "jobId", part.number, job.created_ms::float8 AS "createdMs",
      row_number() OVER (PARTITION BY job.tenant_id ORDER BY part.number, job.created_ms, job.job_id) AS position
    FROM export_part AS part JOIN export_job AS job USING (job_id) LEFT JOIN busy USING (tenant_id)
    WHERE part.state = 'waiting' AND part.due_ms <= $1 AND ($4::text IS NULL OR job.tenant_id = $4)
      AND (job.status = 'running' OR job.status = 'queued' AND coalesce(busy.jobs, 0) < $2)
  ) AS due
  WHERE position <= $3 ORDER BY number, "createdMs", "jobId" LIMIT $5`;

const NEXT_PARTS_MAX = 1_000;

/**
 * Parts that each tenant, or the given one, may begin next, up to its limit and in queue order. Only these are queued:
 * a part beyond the limits would only be taken and delayed again and again.
 */
export async function listNextParts(on: Queryable, nowMs: number, tenantId?: string): Promise<WaitingPart[]> {
  const values = [nowMs, JOBS_PER_TENANT, PARTS_PER_TENANT, tenantId ?? null, NEXT_PARTS_MAX];
  return (await on.query<WaitingPart>(NEXT_PARTS, values)).rows;
}

export type PartTry = Pick<ClaimedPart, 'number' | 'attempt'> & { readonly job: Pick<Job, 'jobId'> };

/** Returns false if the attempt was superseded or the job has ended. */
export async function beat(on: Queryable, { job, number, attempt }: PartTry, nowMs: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE export_part AS part SET heartbeat_ms = $4 FROM export_job AS job
     WHERE part.job_id = $1 AND part.number = $2 AND part.attempt = $3 AND part.state = 'running'
       AND job.job_id = part.job_id AND job.status = 'running'`,
    [job.jobId, number, attempt, nowMs],
  );
  return rowCount === 1;
}

/** Without a write. */
export async function isWanted(on: Queryable, { job, number, attempt }: PartTry): Promise<boolean> {
  const { rowCount } = await on.query(
    `SELECT FROM export_part AS part JOIN export_job AS job USING (job_id)
     WHERE part.job_id = $1 AND part.number = $2 AND part.attempt = $3 AND part.state = 'running' AND job.status = 'running'`,
    [job.jobId, number, attempt],
  );
  return rowCount === 1;
}

export interface MadeFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly objectKey: string;
  readonly facts: PartFacts;
}

/** `all_made`: this was the last part; `fenced`: the attempt was superseded. */
export type CommitOutcome = 'made' | 'all_made' | 'fenced';

/** The file then belongs to the job. */
export function commitPart(pool: Pool, { job, number, attempt }: PartTry, file: MadeFile): Promise<CommitOutcome> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE export_part AS part SET state = 'made', facts = $4, heartbeat_ms = NULL FROM export_job AS job
       WHERE part.job_id = $1 AND part.number = $2 AND part.attempt = $3 AND part.state = 'running'
         AND job.job_id = part.job_id AND job.status = 'running'`,
      [job.jobId, number, attempt, JSON.stringify(file.facts)],
    );
    if (rowCount !== 1) return 'fenced';
    await client.query(
      `INSERT INTO export_file (job_id, name, part, content_type, bytes, sha256, object_key) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [job.jobId, file.name, number, file.contentType, file.bytes, file.sha256, file.objectKey],
    );
    const { rows } = await client.query<{ is_whole: boolean }>(
      `UPDATE export_job SET parts_made = parts_made + 1, rows_made = rows_made + $2, bytes_made = bytes_made + $3
       WHERE job_id = $1 RETURNING parts_made = part_total AS is_whole`,
      [job.jobId, file.facts.rows, file.bytes],
    );
    return rows[0]?.is_whole === true ? 'all_made' : 'made';
  });
}

/** Returns false if the attempt was superseded. */
export async function returnPart(on: Queryable, { job, number, attempt }: PartTry, dueMs: number, failures: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE export_part SET state = 'waiting', worker = NULL, heartbeat_ms = NULL, due_ms = $4, failures = $5
     WHERE job_id = $1 AND number = $2 AND attempt = $3 AND state = 'running'`,
    [job.jobId, number, attempt, dueMs, failures],
  );
  return rowCount === 1;
}
