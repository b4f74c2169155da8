import { createArchiveReader, createFolderStore } from '@market-state/archive';
import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import { createPool, withAdvisoryLock } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { archiveSymbol, type ArchiveSymbolDeps } from './archive-symbol';
import { checkpointKind } from './checkpoint-kind';
import { packetKind } from './packet-kind';

export interface KeepArchiveOptions extends Omit<ArchiveSymbolDeps, 'pool' | 'store' | 'reader'> {
  readonly databaseUrl: string;
  /** Folder of the archive. */
  readonly folder: string;
}

/** Looks for finished hours so often. */
const PAUSE_MS = 5_000;
/** Files in the making that nobody has written to for so long are those of a killed process. */
const ABANDONED_MS = 3_600_000;
/** Time of one statement: an hour of packets is removed at once. */
const STATEMENT_MS = 60_000;
/** Any number that nothing else in this database uses. */
const ARCHIVER_LOCK = 4_801_339;

/**
 * Archives the packets and checkpoints of finished hours of every symbol of the database until closed. Of several services on one database
 * one works; the others take over when it ends. While a store is away it tries again, later and later up to 30 s.
 */
export function keepArchive(options: KeepArchiveOptions): Closable {
  const { logger } = options;
  const pool = createPool({
    url: options.databaseUrl,
    logger,
    applicationName: 'labeling-archiver',
    max: 2,
    statementTimeoutMs: STATEMENT_MS,
  });
  const store = createFolderStore(options.folder);
  const reader = createArchiveReader(store);
  const archiving = runUntilClosed((signal) => keepWorking({ ...options, pool, store, reader }, signal));
  return {
    async close() {
      await archiving.close();
      await reader.close();
      await pool.end();
    },
  };
}

async function keepWorking(work: ArchiveSymbolDeps, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await withAdvisoryLock(work.pool, ARCHIVER_LOCK, async (lock) => {
        await work.store.sweepScratch(ABANDONED_MS);
        failures = 0;
        while (!signal.aborted) await pass(work, lock, signal);
      });
    } catch (error) {
      work.logger.warn({ err: error }, 'the archive could not be written; trying again');
    }
    await delay(backoffMs(failures, { minMs: 500, maxMs: 30_000 }), signal).catch(() => undefined);
  }
}

async function pass(work: ArchiveSymbolDeps, lock: PoolClient, signal: AbortSignal): Promise<void> {
  const { rows } = await work.pool.query<{ symbol: string }>('SELECT symbol FROM symbol_position ORDER BY symbol');
  for (const { symbol } of rows) {
    for (const kind of [packetKind, checkpointKind]) if (!signal.aborted) await archiveSymbol(work, lock, kind, symbol, signal);
  }
  await delay(PAUSE_MS, signal).catch(() => undefined);
  // The lock is gone with its connection: then another archiver may be at work.
  await lock.query('SELECT 1');
}
