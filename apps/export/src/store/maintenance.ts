import { type Queryable } from '@market-state/postgres';
import type { Job, JobStatus } from '../jobs/job';
import { fromJobRow, type JobRow } from './jobs';

export async function takeBackParts(on: Queryable, silentSinceMs: number): Promise<number> {
  const { rowCount } = await on.query(
    `UPDATE export_part SET state = 'waiting', worker = NULL, heartbeat_ms = NULL WHERE state = 'running' AND heartbeat_ms < $1`,
    [silentSinceMs],
  );
  return rowCount ?? 0;
}

export async function listCreatedBefore(on: Queryable, statuses: readonly JobStatus[], beforeMs: number, limit: number): Promise<Job[]> {
  const { rows } = await on.query<JobRow>(
    'SELECT * FROM export_job WHERE status = ANY($1) AND created_ms < $2 ORDER BY created_ms LIMIT $3',
    [statuses, beforeMs, limit],
  );
  return rows.map(fromJobRow);
}

export async function listExpired(on: Queryable, nowMs: number, limit: number): Promise<Job[]> {
  const { rows } = await on.query<JobRow>(
    `SELECT * FROM export_job WHERE status = 'ready' AND expires_ms <= $1 ORDER BY expires_ms LIMIT $2`,
    [nowMs, limit],
  );
  return rows.map(fromJobRow);
}

export async function listUnreleased(on: Queryable, limit: number): Promise<Job[]> {
  const { rows } = await on.query<JobRow>(
    `SELECT * FROM export_job WHERE status IN ('failed', 'cancelled') AND NOT credits_over ORDER BY finished_ms LIMIT $1`,
    [limit],
  );
  return rows.map(fromJobRow);
}

export async function noteReleased(on: Queryable, jobId: string): Promise<void> {
  await on.query('UPDATE export_job SET credits_over = true WHERE job_id = $1', [jobId]);
}

export async function forgetJobs(on: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await on.query(
    `DELETE FROM export_job WHERE status IN ('failed', 'cancelled', 'expired') AND credits_over AND created_ms < $1`,
    [beforeMs],
  );
  return rowCount ?? 0;
}

export async function countJobs(on: Queryable): Promise<ReadonlyMap<string, number>> {
  const { rows } = await on.query<{ status: string; total: number }>(
    `SELECT status, count(*)::int AS total FROM export_job WHERE status IN ('queued', 'running', 'publishing') GROUP BY status`,
  );
  return new Map(rows.map((row) => [row.status, row.total]));
}

/** Wait in seconds of the oldest job that waits for no other job of its tenant; 0 if there is none. */
export async function oldestQueuedSeconds(on: Queryable, nowMs: number): Promise<number> {
  const { rows } = await on.query<{ seconds: number }>(
    `SELECT coalesce(max($1 - job.created_ms), 0)::float8 / 1000 AS seconds FROM export_job AS job
     WHERE job.status = 'queued' AND NOT EXISTS (SELECT FROM export_job AS other
       WHERE other.tenant_id = job.tenant_id AND other.status IN ('running', 'publishing'))`,
    [nowMs],
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}

export async function largestDuePart(on: Queryable): Promise<number> {
  const { rows } = await on.query<{ bytes: string | null }>(
    `SELECT max(part.byte_total) AS bytes FROM export_part AS part JOIN export_job AS job USING (job_id)
     WHERE part.state = 'waiting' AND job.status IN ('queued', 'running')`,
  );
  return Number(rows[0]?.bytes ?? 0);
}
