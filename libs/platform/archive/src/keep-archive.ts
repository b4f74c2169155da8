import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPool, withAdvisoryLock } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import type { ObjectStore } from './object-store';

/** What an archiver at work has. */
export interface ArchiveWork {
  readonly pool: Pool;
  /** The connection with the lock. Files are registered over it: an archiver that lost the lock registers none. */
  readonly lock: PoolClient;
  /** Aborts when the archiver is closed. */
  readonly signal: AbortSignal;
}

export interface KeepArchiveOptions {
  readonly databaseUrl: string;
  /** Shown in the server's list of sessions. */
  readonly applicationName: string;
  /** Most connections. */
  readonly connectionsMax: number;
  /** Time of one statement, milliseconds. */
  readonly statementTimeoutMs: number;
  /** Number of an advisory lock that nothing else in this database uses. */
  readonly lockNumber: number;
  /** The archive. */
  readonly store: ObjectStore;
  /** Pause between two passes, milliseconds. */
  readonly pauseMs: number;
  readonly logger: Logger;
  /** Called whenever this archiver gets the lock; what it returns archives what is due, and deletes what is past its days. */
  readonly begin: (work: ArchiveWork) => () => Promise<void>;
}

/** Files in the making that nobody has written to for so long are those of a killed process, milliseconds. */
const ABANDONED_MS = 3_600_000;
/** How often these are looked for, milliseconds. */
const SWEEP_EVERY_MS = 60_000;
/** Consecutive failures from which on they are logged as errors. */
const ALARM_AFTER = 3;

/**
 * Keeps an archive until closed, pass after pass. Of several archivers on one database one works; another takes over when it ends. After a
 * failure it tries again, after pauses that grow to 30 s.
 */
export function keepArchive(options: KeepArchiveOptions): Closable {
  const { databaseUrl, applicationName, connectionsMax, statementTimeoutMs, logger } = options;
  const pool = createPool({ url: databaseUrl, logger, applicationName, max: connectionsMax, statementTimeoutMs });
  const archiving = runUntilClosed((signal) => keepWorking(options, pool, signal));
  return {
    async close() {
      await archiving.close();
      await pool.end();
    },
  };
}

async function keepWorking(options: KeepArchiveOptions, pool: Pool, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await withAdvisoryLock(pool, options.lockNumber, (lock) =>
        work(options, { pool, lock, signal }, () => {
          failures = 0;
        }),
      );
    } catch (error) {
      options.logger[failures < ALARM_AFTER ? 'warn' : 'error']({ err: error }, 'the archive cannot be kept now; trying again');
    }
    await delay(backoffMs(failures, { minMs: 500, maxMs: 30_000 }), signal).catch(() => undefined);
  }
}

async function work({ begin, pauseMs, store }: KeepArchiveOptions, archive: ArchiveWork, onPass: () => void): Promise<void> {
  const pass = begin(archive);
  let sweptMs = -Infinity;
  while (!archive.signal.aborted) {
    await pass();
    if (performance.now() - sweptMs >= SWEEP_EVERY_MS) {
      await store.sweepScratch(ABANDONED_MS);
      sweptMs = performance.now();
    }
    onPass();
    await delay(pauseMs, archive.signal).catch(() => undefined);
    // The lock is gone with its connection: then another archiver may be at work.
    await archive.lock.query('SELECT 1');
  }
}
