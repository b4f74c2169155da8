import { createArchiveReader, createArchiveWriter, keepArchive } from '@market-state/archive';
import type { Closable } from '@market-state/lifecycle';
import { listSymbols } from '../store/archive-files';
import { archiveSymbol, type ArchiveSymbolDeps } from './archive-symbol';
import { checkpointKind, packetKind } from './archived-kinds';

export interface ArchiverOptions extends Omit<ArchiveSymbolDeps, 'pool' | 'reader' | 'writer'> {
  readonly databaseUrl: string;
  readonly pauseMs: number;
}

export function startArchiver(options: ArchiverOptions): Closable {
  const { databaseUrl, store, pauseMs, logger } = options;
  const reader = createArchiveReader(store);
  const archiver = keepArchive({
    databaseUrl,
    store,
    pauseMs,
    logger,
    applicationName: 'labeling-archiver',
    connectionsMax: 2,
    // An hour of packets is deleted in one statement.
    statementTimeoutMs: 60_000,
    lockNumber: 4_801_339,
    begin:
      ({ pool, lock, signal }) =>
      async () => {
        const writer = createArchiveWriter(store);
        try {
          for (const symbol of await listSymbols(pool))
            for (const kind of [packetKind, checkpointKind])
              if (!signal.aborted) await archiveSymbol({ ...options, pool, reader, writer }, lock, kind, symbol, signal);
        } finally {
          await writer.close();
        }
      },
  });
  return {
    async close() {
      await archiver.close();
      await reader.close();
    },
  };
}
