import type { Pool } from 'pg';

/** A job as the database has it. */
export interface JobRecord {
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

/** A part as the database has it. */
export interface PartRecord {
  readonly job_id: string;
  readonly number: number;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
  readonly failures: number;
}

/** A file as the database has it. */
export interface FileRecord {
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

export async function readFiles(pool: Pool): Promise<FileRecord[]> {
  return (await pool.query<FileRecord>('SELECT * FROM export_file')).rows;
}

/** Jobs that have not ended. */
export async function openJobs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM export_job WHERE status IN ('queued', 'running', 'publishing')`,
  );
  return rows[0]?.total ?? 0;
}

/** A part that a worker took after an instant and still makes: the latest. */
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
