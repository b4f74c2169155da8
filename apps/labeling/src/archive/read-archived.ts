import {
  ArchiveCorruptError,
  type ArchiveFileRef,
  type ArchiveReader,
  type Column,
  type Filter,
  type Row,
  StoreError,
} from '@market-state/archive';
import { failedPrecondition, unavailable } from '@market-state/errors';
import type { WindowSpan } from '../packets/window-span';

const WINDOW = 'window_end_ms';

/** Rows wanted of files that follow each other in time, by window. */
export interface ArchivedRowsWanted {
  readonly span: WindowSpan;
  /** What else a row must meet. */
  readonly filters: readonly Filter[];
  readonly newestFirst: boolean;
  readonly columns: readonly Column[];
  /** Most rows. */
  readonly count: number;
}

/**
 * The first rows of the span in the files, in the order wanted. A file that can't be read and is no longer listed was let go in between:
 * the files are read as they are listed now.
 * @param list the files of the span, oldest first
 * @throws ServiceError FAILED_PRECONDITION with reason `archive_corrupt` when a file is not what was written, UNAVAILABLE when the store
 * cannot be read now
 */
export async function readArchived(
  reader: Pick<ArchiveReader, 'read'>,
  list: () => Promise<ArchiveFileRef[]>,
  wanted: ArchivedRowsWanted,
): Promise<Row[]> {
  let files = await list();
  for (;;) {
    try {
      return await readFiles(reader, files, wanted);
    } catch (error) {
      if (error instanceof StoreError)
        throw unavailable('upstream_unavailable', 'The archive cannot be read now; try again in a moment.', { cause: error });
      if (!(error instanceof ArchiveCorruptError)) throw error;
      const listed = await list();
      if (files.every((file) => listed.some(({ key, sha256 }) => key === file.key && sha256 === file.sha256))) {
        throw failedPrecondition('archive_corrupt', 'A file of the archive is damaged.', {
          cause: error,
          metadata: { object_key: error.key },
        });
      }
      files = listed;
    }
  }
}

async function readFiles(
  reader: Pick<ArchiveReader, 'read'>,
  files: readonly ArchiveFileRef[],
  { span, filters, newestFirst, columns, count }: ArchivedRowsWanted,
): Promise<Row[]> {
  const window: Filter = { column: WINDOW, from: span.fromMs ?? 0, ...(span.toMs === null ? {} : { to: span.toMs }) };
  const order = newestFirst ? { descendingBy: WINDOW } : {};
  const rows: Row[] = [];
  for (const file of newestFirst ? files.toReversed() : files) {
    if (rows.length >= count) break;
    rows.push(...(await reader.read(file, { columns, filters: [window, ...filters], ...order, limit: count - rows.length })));
  }
  return rows;
}
