import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPool, withAdvisoryLock } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import type { ObjectStore } from './object-store';

export interface ArchiveWork {
  readonly pool: Pool;
  /** Files are registered over it, so an archiver that lost the lock cannot register any. */
  readonly lock: PoolClient;
  readonly signal: AbortSignal;
}

export interface KeepArchiveOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly connectionsMax: number;
  readonly statementTimeoutMs: number;
  readonly lockNumber: number;
  readonly store: ObjectStore;
  readonly pauseMs: number;
  readonly logger: Logger;
  /** Called with each acquired lock; returns one archive and retention pass. */
  readonly begin: (work: ArchiveWork) => () => Promise<void>;
}

/** Scratch files idle for this long belong to killed processes. */
const ABANDONED_MS = 3_600_000;
const SWEEP_EVERY_MS = 60_000;
const ALARM_AFTER = 3;

/** One archiver per database works; another takes over when it ends. Failures are retried with backoff up to 30 s. */
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
      options.logger[failures < ALARM_AFTER ? 'warn' : 'error']({ err: error }, 'archive pass failed; retrying');
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
    // The lock is lost with its connection, and another archiver may be running.
    await archive.lock.query('SELECT 1');
  }
}
