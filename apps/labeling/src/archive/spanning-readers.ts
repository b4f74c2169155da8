import {
  type ArchiveReader,
  type Filter,
  ArchiveCorruptError,
  type ArchiveFileRef,
  type Column,
  type Row,
  StoreError,
} from '@market-state/archive';
import { failedPrecondition, unavailable } from '@market-state/errors';
import { hourEnd, hourOf, type ArchivedFiles } from '../store/archive-files';
import type { CheckpointReader } from '../labeling/label-store';
import type { PacketReader, PacketSpan, WindowSpan } from '../packets/packet';
import {
  CHECKPOINT_FILE_COLUMNS,
  CHECKPOINT_FILE_HEADER,
  checkpointHeaderOfRow,
  checkpointOfRow,
  BRIEF_COLUMNS,
  briefOfRow,
  PACKET_FILE_COLUMNS,
  packetOfRow,
} from './archived-kinds';

const WINDOW = 'window_end_ms';

interface ArchivedRowsWanted {
  readonly span: WindowSpan;
  readonly filters: readonly Filter[];
  readonly newestFirst: boolean;
  readonly columns: readonly Column[];
  readonly count: number;
}

/**
 * Reads the first rows of a span from consecutive files. If a file can't be read and is no longer listed, it was
 * deleted in the meantime: retries with the current list.
 * @param list files of the span, oldest first
 * @throws ServiceError FAILED_PRECONDITION with reason `archive_corrupt` if a file differs from what was written,
 * UNAVAILABLE if the store cannot be read
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
        throw unavailable('upstream_unavailable', 'The archive is temporarily unavailable; try again shortly.', { cause: error });
      if (!(error instanceof ArchiveCorruptError)) throw error;
      const listed = await list();
      if (files.every((file) => listed.some(({ key, sha256 }) => key === file.key && sha256 === file.sha256))) {
        throw failedPrecondition('archive_corrupt', 'An archive file is damaged.', {
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

export interface ArchiveDeps {
  readonly files: ArchivedFiles;
  readonly reader: ArchiveReader;
}

const IN_ORDER = { filters: [], newestFirst: false } as const;

export function spanningPacketReader(hot: PacketReader, { files, reader }: ArchiveDeps): PacketReader {
  return {
    newest: (symbol) => hot.newest(symbol),
    async list(span, count) {
      const kept = await hot.list(span, count);
      if (span.newestFirst && kept.length === count) return kept;
      const known = knownSpan(span);
      const rows = await readArchived(reader, () => files.list('packets', known.span), { ...known, columns: PACKET_FILE_COLUMNS, count });
      return merged(rows.map(packetOfRow), kept, { newestFirst: span.newestFirst, count });
    },
    async briefs(span, count) {
      const kept = await hot.briefs(span, count);
      if (span.newestFirst && kept.length === count) return kept;
      const known = knownSpan(span);
      const rows = await readArchived(reader, () => files.list('packets', known.span), { ...known, columns: BRIEF_COLUMNS, count });
      return merged(rows.map(briefOfRow), kept, { newestFirst: span.newestFirst, count });
    },
    async at(symbol, windowEndsMs) {
      const kept = await hot.at(symbol, windowEndsMs);
      const found = new Set(kept.map(({ windowEndMs }) => windowEndMs));
      const missing = windowEndsMs.filter((windowEndMs) => !found.has(windowEndMs));
      const packets = [...kept];
      for (const hourMs of new Set(missing.map(hourOf))) {
        const oneOf = missing.filter((windowEndMs) => hourOf(windowEndMs) === hourMs);
        const span = { symbol, fromMs: hourMs, toMs: hourEnd(hourMs) };
        const wanted = {
          span,
          filters: [{ column: 'window_end_ms', oneOf }],
          newestFirst: false,
          columns: PACKET_FILE_COLUMNS,
          count: oneOf.length,
        };
        packets.push(...(await readArchived(reader, () => files.list('packets', span), wanted)).map(packetOfRow));
      }
      return packets;
    },
    async find(eventId) {
      const kept = await hot.find(eventId);
      if (kept !== undefined) return kept;
      const place = await files.windowOf(eventId);
      if (place === undefined) return undefined;
      const span = spanOf(place.symbol, place.windowEndMs);
      const [row] = await readArchived(reader, () => files.list('packets', span), {
        span,
        ...IN_ORDER,
        columns: PACKET_FILE_COLUMNS,
        count: 1,
      });
      return row === undefined ? undefined : packetOfRow(row);
    },
  };
}

export function spanningCheckpointReader(hot: CheckpointReader, { files, reader }: ArchiveDeps): CheckpointReader {
  return {
    async list(span, count) {
      const kept = await hot.list(span, count);
      const rows = await readArchived(reader, () => files.list('checkpoints', span), {
        span,
        ...IN_ORDER,
        columns: CHECKPOINT_FILE_HEADER,
        count,
      });
      return merged(rows.map(checkpointHeaderOfRow), kept, { newestFirst: false, count });
    },
    async find(symbol, windowEndMs) {
      const kept = await hot.find(symbol, windowEndMs);
      if (kept !== undefined) return kept;
      const span = spanOf(symbol, windowEndMs);
      const [row] = await readArchived(reader, () => files.list('checkpoints', span), {
        span,
        ...IN_ORDER,
        columns: CHECKPOINT_FILE_COLUMNS,
        count: 1,
      });
      return row === undefined ? undefined : checkpointOfRow(row);
    },
  };
}

function spanOf(symbol: string, windowEndMs: number): WindowSpan {
  return { symbol, fromMs: windowEndMs, toMs: windowEndMs + 1 };
}

/** Part of a span known at its `asOfMs`. A packet is never known before its window ends, so later files are skipped. */
function knownSpan({ symbol, fromMs, toMs, asOfMs, newestFirst }: PacketSpan): {
  span: WindowSpan;
  filters: Filter[];
  newestFirst: boolean;
} {
  if (asOfMs === null) return { span: { symbol, fromMs, toMs }, filters: [], newestFirst };
  const bound = asOfMs + 1;
  return { span: { symbol, fromMs, toMs: Math.min(toMs ?? bound, bound) }, filters: [{ column: 'known_ts_ms', to: bound }], newestFirst };
}

/** Merges both in order, at most `count`. Rows archived between the two reads are in both and count once. */
function merged<T extends { readonly windowEndMs: number }>(
  archived: readonly T[],
  kept: readonly T[],
  { newestFirst, count }: { readonly newestFirst: boolean; readonly count: number },
): T[] {
  const byWindow = new Map([...archived, ...kept].map((item) => [item.windowEndMs, item]));
  const direction = newestFirst ? -1 : 1;
  return [...byWindow.values()].sort((a, b) => direction * (a.windowEndMs - b.windowEndMs)).slice(0, count);
}
