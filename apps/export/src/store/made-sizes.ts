import type { Queryable } from '@market-state/postgres';
import type { ExportSpec } from '../jobs/job';

export interface MadeSize {
  readonly symbol: string;
  readonly rows: number;
  readonly bytes: number;
}

const JOBS_MAX = 500;
const FILES_MAX = 200;

/** Sizes of the newest files with the same dataset, format, compression, columns and symbols. */
export async function listMadeSizes(on: Queryable, spec: ExportSpec): Promise<readonly MadeSize[]> {
  const { symbols, dataset, format, compression, intervalMs, depth, columns } = spec;
  const { rows } = await on.query<MadeSize>(
    `SELECT part.symbol, (part.facts->>'rows')::float8 AS rows, file.bytes::float8 AS bytes
     FROM (SELECT job_id, spec, created_ms FROM export_job WHERE status = 'ready' ORDER BY created_ms DESC LIMIT $3) AS job
     JOIN export_part AS part USING (job_id) JOIN export_file AS file ON file.job_id = part.job_id AND file.part = part.number
     WHERE job.spec @> $1 AND job.spec->'columns' = $1::jsonb->'columns' AND part.symbol = ANY ($2) AND (part.facts->>'rows')::float8 > 0
     ORDER BY job.created_ms DESC LIMIT $4`,
    [JSON.stringify({ dataset, format, compression, intervalMs, depth, columns }), symbols, JOBS_MAX, FILES_MAX],
  );
  return rows;
}
