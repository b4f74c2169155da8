import type { ArchiveFileRef } from '@market-state/archive';
import type { Pool } from 'pg';
import type { WindowSpan } from '../packets/packet';
import { type ArchivedChannel, hourOf } from './archive-files';
import { readRows } from './reading';

export interface ArchivedFiles {
  list(channel: ArchivedChannel, span: WindowSpan): Promise<ArchiveFileRef[]>;
  windowOf(eventId: string): Promise<{ readonly symbol: string; readonly windowEndMs: number } | undefined>;
}

interface FileRow {
  readonly object_key: string;
  readonly sha256: string;
}

export function createArchivedFiles(pool: Pool): ArchivedFiles {
  return {
    async list(channel, { symbol, fromMs, toMs }) {
      const rows = await readRows<FileRow>(
        pool,
        `SELECT object_key, sha256 FROM archive_file
         WHERE symbol = $1 AND channel = $2 AND state = 'archived' AND hour_ms >= $3 AND ($4::bigint IS NULL OR hour_ms < $4)
           ORDER BY hour_ms`,
        [symbol, channel, hourOf(fromMs ?? 0), toMs],
      );
      return rows.map(({ object_key: key, sha256 }) => ({ key, sha256 }));
    },
    async windowOf(eventId) {
      const [row] = await readRows<{ symbol: string; window_end_ms: string }>(
        pool,
        'SELECT symbol, window_end_ms FROM archived_packet WHERE event_id = $1',
        [eventId],
      );
      return row === undefined ? undefined : { symbol: row.symbol, windowEndMs: Number(row.window_end_ms) };
    },
  };
}
