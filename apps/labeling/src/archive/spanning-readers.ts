import type { ArchiveReader } from '@market-state/archive';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import type { PacketReader } from '../packets/packet-reader';
import type { WindowSpan } from '../packets/window-span';
import type { ArchivedFiles } from './archived-files';
import { CHECKPOINT_FILE_COLUMNS, CHECKPOINT_FILE_HEADER, checkpointHeaderOfRow, checkpointOfRow } from './checkpoint-kind';
import { PACKET_FILE_COLUMNS, packetOfRow } from './packet-kind';
import { readArchived } from './read-archived';

/** The archive, as readers use it. */
export interface ArchiveDeps {
  readonly files: ArchivedFiles;
  readonly reader: ArchiveReader;
}

/** Packets of the database and of the archive, as if they were one. */
export function spanningPacketReader(hot: PacketReader, { files, reader }: ArchiveDeps): PacketReader {
  return {
    newest: (symbol) => hot.newest(symbol),
    async list(span, afterMs, count) {
      const kept = await hot.list(span, afterMs, count);
      const rows = await readArchived(reader, () => files.list('packets', span, afterMs), { span, afterMs, columns: PACKET_FILE_COLUMNS, count });
      return merged(rows.map(packetOfRow), kept, count);
    },
    async find(eventId) {
      const kept = await hot.find(eventId);
      if (kept !== undefined) return kept;
      const place = await files.windowOf(eventId);
      if (place === undefined) return undefined;
      const span = spanOf(place.symbol, place.windowEndMs);
      const [row] = await readArchived(reader, () => files.list('packets', span, null), { span, afterMs: null, columns: PACKET_FILE_COLUMNS, count: 1 });
      return row === undefined ? undefined : packetOfRow(row);
    },
  };
}

/** Checkpoints of the database and of the archive, as if they were one. */
export function spanningCheckpointReader(hot: CheckpointReader, { files, reader }: ArchiveDeps): CheckpointReader {
  return {
    async list(span, afterMs, count) {
      const kept = await hot.list(span, afterMs, count);
      const rows = await readArchived(reader, () => files.list('checkpoints', span, afterMs), { span, afterMs, columns: CHECKPOINT_FILE_HEADER, count });
      return merged(rows.map(checkpointHeaderOfRow), kept, count);
    },
    async find(symbol, windowEndMs) {
      const kept = await hot.find(symbol, windowEndMs);
      if (kept !== undefined) return kept;
      const span = spanOf(symbol, windowEndMs);
      const [row] = await readArchived(reader, () => files.list('checkpoints', span, null), { span, afterMs: null, columns: CHECKPOINT_FILE_COLUMNS, count: 1 });
      return row === undefined ? undefined : checkpointOfRow(row);
    },
  };
}

function spanOf(symbol: string, windowEndMs: number): WindowSpan {
  return { symbol, fromMs: windowEndMs, toMs: windowEndMs + 1 };
}

/** Both in order, at most `count`. What was read in the database and has left it since is in both: it counts once. */
function merged<T extends { readonly windowEndMs: number }>(archived: readonly T[], kept: readonly T[], count: number): T[] {
  const byWindow = new Map([...archived, ...kept].map((item) => [item.windowEndMs, item]));
  return [...byWindow.values()].sort((a, b) => a.windowEndMs - b.windowEndMs).slice(0, count);
}
