import { ArchiveCorruptError, type ArchiveFileRef, type ArchiveReader, type Column, type Filter, type Row } from '@market-state/archive';
import { failedPrecondition } from '@market-state/errors';
import type { WindowSpan } from '../packets/window-span';

/** Rows wanted of files that follow each other in time. */
export interface ArchivedRowsWanted {
  readonly span: WindowSpan;
  readonly afterMs: number | null;
  readonly columns: readonly Column[];
  /** Most rows. */
  readonly count: number;
}

/**
 * The first rows of the span in the files, by window.
 * @throws ServiceError FAILED_PRECONDITION with reason `archive_corrupt` when a file is not what was written
 */
export async function readArchived(reader: ArchiveReader, files: readonly ArchiveFileRef[], wanted: ArchivedRowsWanted): Promise<Row[]> {
  const { span, afterMs, columns, count } = wanted;
  const from = Math.max(span.fromMs ?? 0, afterMs === null ? 0 : afterMs + 1);
  const filter: Filter = { column: 'window_end_ms', from, ...(span.toMs === null ? {} : { to: span.toMs }) };
  const rows: Row[] = [];
  for (const file of files) {
    if (rows.length >= count) break;
    rows.push(...(await readFile(reader, file, { columns, filters: [filter], limit: count - rows.length })));
  }
  return rows;
}

async function readFile(reader: ArchiveReader, file: ArchiveFileRef, query: Parameters<ArchiveReader['read']>[1]): Promise<Row[]> {
  try {
    return await reader.read(file, query);
  } catch (error) {
    if (!(error instanceof ArchiveCorruptError)) throw error;
    throw failedPrecondition('archive_corrupt', 'A file of the archive is not what was written.', { cause: error, metadata: { object_key: file.key } });
  }
}
