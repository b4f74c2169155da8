import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { Job, PartFacts, PartPlan } from '../jobs/job';
import { advance, findAnyJob } from './jobs';

/** Number of the lock under which parts are claimed, one claim at a time: what a tenant may run is counted right. */
const CLAIM_LOCK = 6_310_001;

/** A part that a worker makes. */
export interface ClaimedPart {
  readonly job: Job;
  readonly number: number;
  readonly symbol: string;
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  readonly rowTotal: number;
  readonly byteTotal: number;
  /** Number of this try. */
  readonly attempt: number;
  readonly failures: number;
}

export interface ClaimLimits {
  /** Jobs of a tenant that run at once. */
  readonly jobsPerTenant: number;
  /** Parts of a tenant that are made at once. */
  readonly partsPerTenant: number;
}

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

/** The job whose part is next: of the tenant with the fewest parts under way, the oldest. */
const NEXT_JOB = `
  WITH under_way AS (
    SELECT job.tenant_id, count(*) AS parts FROM export_part AS part JOIN export_job AS job USING (job_id)
    WHERE part.state = 'running' GROUP BY job.tenant_id
  ), running AS (
    SELECT tenant_id, count(*) AS jobs FROM export_job WHERE status IN ('running', 'publishing') GROUP BY tenant_id
  )
  SELECT job.job_id FROM export_job AS job
  LEFT JOIN under_way USING (tenant_id) LEFT JOIN running USING (tenant_id)
  WHERE job.status IN ('queued', 'running')
    AND coalesce(under_way.parts, 0) < $1
    AND (job.status = 'running' OR coalesce(running.jobs, 0) < $2)
    AND EXISTS (SELECT FROM export_part AS part WHERE part.job_id = job.job_id AND part.state = 'waiting' AND part.due_ms <= $3)
  ORDER BY coalesce(under_way.parts, 0), job.created_ms, job.job_id LIMIT 1`;

const CLAIM = `
  UPDATE export_part SET state = 'running', attempt = attempt + 1, worker = $2, heartbeat_ms = $3
  WHERE (job_id, number) = (
    SELECT job_id, number FROM export_part WHERE job_id = $1 AND state = 'waiting' AND due_ms <= $3
    ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING *`;

/** Takes the next part for a worker; undefined when none is due, or its tenants have as many under way as they may. */
export function claimPart(
  pool: Pool,
  worker: string,
  { partsPerTenant, jobsPerTenant }: ClaimLimits,
  nowMs: number,
): Promise<ClaimedPart | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
    const next = await client.query<{ job_id: string }>(NEXT_JOB, [partsPerTenant, jobsPerTenant, nowMs]);
    const jobId = next.rows[0]?.job_id;
    if (jobId === undefined) return undefined;
    const { rows } = await client.query<PartRow>(CLAIM, [jobId, worker, nowMs]);
    const row = rows[0];
    if (row === undefined) return undefined;
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

/** A try of a part. */
export type PartTry = Pick<ClaimedPart, 'number' | 'attempt'> & { readonly job: Pick<Job, 'jobId'> };

/** Says that a worker is at work. False when the try does not count any more: another has the part, or the job has ended. */
export async function beat(on: Queryable, { job, number, attempt }: PartTry, nowMs: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE export_part AS part SET heartbeat_ms = $4 FROM export_job AS job
     WHERE part.job_id = $1 AND part.number = $2 AND part.attempt = $3 AND part.state = 'running'
       AND job.job_id = part.job_id AND job.status = 'running'`,
    [job.jobId, number, attempt, nowMs],
  );
  return rowCount === 1;
}

/** Whether a try still counts, without a write. */
export async function isWanted(on: Queryable, { job, number, attempt }: PartTry): Promise<boolean> {
  const { rowCount } = await on.query(
    `SELECT FROM export_part AS part JOIN export_job AS job USING (job_id)
     WHERE part.job_id = $1 AND part.number = $2 AND part.attempt = $3 AND part.state = 'running' AND job.status = 'running'`,
    [job.jobId, number, attempt],
  );
  return rowCount === 1;
}

/** A data file that was put. */
export interface MadeFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly objectKey: string;
  readonly facts: PartFacts;
}

/** How a commit ended: the part is made, the job has all its parts, or the try came too late. */
export type CommitOutcome = 'made' | 'all_made' | 'fenced';

/** Records a part that is made, once: the file is the job's from now on. */
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

/** Gives a part back, to be tried again at `dueMs`. False when the try does not count any more. */
export async function returnPart(on: Queryable, { job, number, attempt }: PartTry, dueMs: number, failures: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE export_part SET state = 'waiting', worker = NULL, heartbeat_ms = NULL, due_ms = $4, failures = $5
     WHERE job_id = $1 AND number = $2 AND attempt = $3 AND state = 'running'`,
    [job.jobId, number, attempt, dueMs, failures],
  );
  return rowCount === 1;
}
