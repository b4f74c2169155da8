import { type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { Job, PartFacts, PartPlan } from '../jobs/job';
import { fromJobRow, type JobRow } from './jobs';

/** Claims a publication under a new fencing token, unless another attempt sent a heartbeat since `silentSinceMs`. */
export async function claimPublication(pool: Pool, jobId: string, nowMs: number, silentSinceMs: number): Promise<Job | undefined> {
  const { rows } = await pool.query<JobRow>(
    `UPDATE export_job SET fence = fence + 1, publish_beat_ms = $2
     WHERE job_id = $1 AND status IN ('running', 'publishing') AND parts_made = part_total AND publish_beat_ms < $3 RETURNING *`,
    [jobId, nowMs, silentSinceMs],
  );
  return rows[0] === undefined ? undefined : fromJobRow(rows[0]);
}

/** Returns false if another attempt took over. */
export async function beatPublication(on: Queryable, { jobId, fence }: Pick<Job, 'jobId' | 'fence'>, nowMs: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE export_job SET publish_beat_ms = $3 WHERE job_id = $1 AND fence = $2 AND status IN ('running', 'publishing')`,
    [jobId, fence, nowMs],
  );
  return rowCount === 1;
}

export async function leavePublication(on: Queryable, { jobId, fence }: Pick<Job, 'jobId' | 'fence'>): Promise<void> {
  await on.query(`UPDATE export_job SET publish_beat_ms = 0 WHERE job_id = $1 AND fence = $2`, [jobId, fence]);
}

export async function listPublishable(on: Queryable, silentSinceMs: number, limit: number): Promise<string[]> {
  const { rows } = await on.query<{ job_id: string }>(
    `SELECT job_id FROM export_job WHERE status IN ('running', 'publishing') AND parts_made = part_total AND publish_beat_ms < $1
     ORDER BY created_ms LIMIT $2`,
    [silentSinceMs, limit],
  );
  return rows.map((row) => row.job_id);
}

export interface MadePart {
  readonly number: number;
  readonly symbol: string;
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  readonly rowTotal: number;
  readonly facts: PartFacts;
}

export async function listMadeParts(on: Queryable, { jobId }: Pick<Job, 'jobId'>): Promise<MadePart[]> {
  const { rows } = await on.query<{
    number: number;
    symbol: string;
    day_ms: string;
    name: string;
    plan: PartPlan;
    row_total: string;
    facts: PartFacts;
  }>(`SELECT number, symbol, day_ms, name, plan, row_total, facts FROM export_part WHERE job_id = $1 ORDER BY number`, [jobId]);
  return rows.map(({ day_ms: dayMs, row_total: rowTotal, ...part }) => ({ ...part, dayMs: Number(dayMs), rowTotal: Number(rowTotal) }));
}

export async function readPack(
  on: Queryable,
  jobId: string,
): Promise<{ readonly request: unknown; readonly reviewPack: unknown } | undefined> {
  const { rows } = await on.query<{ request: unknown; review_pack: unknown }>(
    'SELECT request, review_pack FROM export_job WHERE job_id = $1',
    [jobId],
  );
  return rows[0] === undefined ? undefined : { request: rows[0].request, reviewPack: rows[0].review_pack };
}
