import { hourEnd, hourOf } from '../store/archive-files';
import type { ArchiveReader, Filter } from '@market-state/archive';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import type { PacketReader } from '../packets/packet-reader';
import type { PacketSpan } from '../packets/packet-span';
import type { WindowSpan } from '../packets/window-span';
import type { ArchivedFiles } from '../store/archived-files';
import { CHECKPOINT_FILE_COLUMNS, CHECKPOINT_FILE_HEADER, checkpointHeaderOfRow, checkpointOfRow } from './checkpoint-kind';
import { BRIEF_COLUMNS, briefOfRow, PACKET_FILE_COLUMNS, packetOfRow } from './packet-kind';
import { readArchived } from './read-archived';

/** The archive, as readers use it. */
export interface ArchiveDeps {
  readonly files: ArchivedFiles;
  readonly reader: ArchiveReader;
}

/** Every row of a span, oldest first. */
const IN_ORDER = { filters: [], newestFirst: false } as const;

/** Packets of the database and of the archive, as if they were one. */
export function spanningPacketReader(hot: PacketReader, { files, reader }: ArchiveDeps): PacketReader {
  return {
    newest: (symbol) => hot.newest(symbol),
    async list(span, count) {
      const kept = await hot.list(span, count);
      // The newest are in the database.
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

/** Checkpoints of the database and of the archive, as if they were one. */
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

/**
 * The part of a span whose packets were known by its instant, for rows of a file. A packet is never known before its window ends: later
 * files are not read.
 */
function knownSpan({ symbol, fromMs, toMs, asOfMs, newestFirst }: PacketSpan): {
  span: WindowSpan;
  filters: Filter[];
  newestFirst: boolean;
} {
  if (asOfMs === null) return { span: { symbol, fromMs, toMs }, filters: [], newestFirst };
  const bound = asOfMs + 1;
  return { span: { symbol, fromMs, toMs: Math.min(toMs ?? bound, bound) }, filters: [{ column: 'known_ts_ms', to: bound }], newestFirst };
}

/** Both in order, at most `count`. What was read in the database and has left it since is in both: it counts once. */
function merged<T extends { readonly windowEndMs: number }>(
  archived: readonly T[],
  kept: readonly T[],
  { newestFirst, count }: { readonly newestFirst: boolean; readonly count: number },
): T[] {
  const byWindow = new Map([...archived, ...kept].map((item) => [item.windowEndMs, item]));
  const direction = newestFirst ? -1 : 1;
  return [...byWindow.values()].sort((a, b) => direction * (a.windowEndMs - b.windowEndMs)).slice(0, count);
}
