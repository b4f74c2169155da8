import { type Queryable, run } from '@market-state/postgres';
import type { Job, PartFacts } from '../jobs/job';
import { tables } from './tables';

export interface StoredFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly objectKey: string;
  readonly part?: { readonly number: number; readonly symbol: string; readonly dayMs: number; readonly facts: PartFacts };
}

interface FileRow {
  readonly name: string;
  readonly content_type: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly object_key: string;
  readonly number: number | null;
  readonly symbol: string | null;
  readonly day_ms: string | null;
  readonly facts: unknown;
}

function toFile({ name, content_type: contentType, bytes, sha256, object_key: objectKey, ...part }: FileRow): StoredFile {
  const file = { name, contentType, bytes: Number(bytes), sha256, objectKey };
  if (part.number === null || part.symbol === null) return file;
  return {
    ...file,
    part: { number: part.number, symbol: part.symbol, dayMs: Number(part.day_ms), facts: part.facts as PartFacts },
  };
}

function filesOf(jobId: string) {
  return tables
    .selectFrom('export_file as file')
    .leftJoin('export_part as part', (join) => join.onRef('part.job_id', '=', 'file.job_id').onRef('part.number', '=', 'file.part'))
    .select(['file.name', 'file.content_type', 'file.bytes', 'file.sha256', 'file.object_key'])
    .select(['part.number', 'part.symbol', 'part.day_ms', 'part.facts'])
    .where('file.job_id', '=', jobId);
}

export async function listFiles(on: Queryable, { jobId }: Pick<Job, 'jobId'>): Promise<StoredFile[]> {
  const { rows } = await run<FileRow>(
    on,
    filesOf(jobId)
      .orderBy('part.number', (order) => order.asc().nullsLast())
      .orderBy('file.name'),
  );
  return rows.map(toFile);
}

export async function findFile(on: Queryable, { jobId }: Pick<Job, 'jobId'>, name: string): Promise<StoredFile | undefined> {
  const { rows } = await run<FileRow>(on, filesOf(jobId).where('file.name', '=', name));
  return rows[0] === undefined ? undefined : toFile(rows[0]);
}

export async function insertSupportFiles(
  on: Queryable,
  { jobId }: Pick<Job, 'jobId'>,
  files: readonly Omit<StoredFile, 'part'>[],
): Promise<void> {
  const values = files.map(({ name, contentType, bytes, sha256, objectKey }) => ({
    job_id: jobId,
    name,
    part: 0,
    content_type: contentType,
    bytes: String(bytes),
    sha256,
    object_key: objectKey,
  }));
  await run(on, tables.insertInto('export_file').values(values));
}

/** Removes a job's files from the database. @returns their object keys */
export async function removeFiles(on: Queryable, { jobId }: Pick<Job, 'jobId'>): Promise<string[]> {
  const { rows } = await run<{ object_key: string }>(
    on,
    tables.deleteFrom('export_file').where('job_id', '=', jobId).returning('object_key'),
  );
  return rows.map((row) => row.object_key);
}

/** Object keys, of those given, whose files may still be read. */
export async function keysInUse(on: Queryable, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const { rows } = await run<{ object_key: string }>(
    on,
    tables
      .selectFrom('export_file as file')
      .innerJoin('export_job as job', 'job.job_id', 'file.job_id')
      .select('file.object_key')
      .where('file.object_key', 'in', [...keys])
      .where('job.status', 'not in', ['failed', 'cancelled', 'expired']),
  );
  return new Set(rows.map((row) => row.object_key));
}
