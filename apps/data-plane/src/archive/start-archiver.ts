import { createFolderStore, type ObjectStore } from '@market-state/archive';
import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPool, withAdvisoryLock } from '@market-state/postgres';
import type { Metrics } from '@market-state/telemetry';
import type { Pool, PoolClient } from 'pg';
import { type ArchiveMetrics, createArchiveMetrics } from './archive-metrics';
import { archivePass, type BlockedHours } from './archive-pass';
import type { RetentionDays } from './archive-settings';
import { retentionPass } from './retention-pass';

export interface ArchiverOptions {
  readonly databaseUrl: string;
  /** Folder of the archive. */
  readonly folder: string;
  readonly days: RetentionDays;
  readonly symbols: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called after a day of rows was dropped. */
  readonly onDropped: () => void;
}

/** Looks for finished hours so often. */
const PAUSE_MS = 1_000;
/** Looks for rows and files past their days so often, and whenever an hour was archived. */
const RETENTION_PAUSE_MS = 60_000;
/** Files in the making that nobody has written to for so long are those of a killed process. */
const ABANDONED_MS = 3_600_000;
/** Failures one after the other from which on they are errors. */
const ALARM_AFTER = 3;
/** Time of one statement: counting a day's rows takes long. */
const STATEMENT_MS = 120_000;
/** Any number that nothing else in this database uses. */
const ARCHIVER_LOCK = 4_801_338;

/**
 * Archives finished hours and keeps to the days of each channel until closed. Of several archivers on one database one works; the others
 * take over when it ends. While a store is away it tries again, later and later up to 30 s.
 */
export function startArchiver(options: ArchiverOptions): Closable {
  const { logger, databaseUrl } = options;
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'data-plane-archiver', max: 3, statementTimeoutMs: STATEMENT_MS });
  const metrics = createArchiveMetrics(options.metrics, Date.now);
  const archiving = runUntilClosed((signal) => keepWorking({ ...options, metrics }, pool, createFolderStore(options.folder), signal));
  return {
    async close() {
      await archiving.close();
      await pool.end();
    },
  };
}

type Work = Omit<ArchiverOptions, 'metrics'> & { readonly metrics: ArchiveMetrics };

async function keepWorking(options: Work, pool: Pool, store: ObjectStore, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await withAdvisoryLock(pool, ARCHIVER_LOCK, (lock) =>
        work(options, pool, store, lock, signal, () => {
          failures = 0;
        }),
      );
    } catch (error) {
      options.logger[failures < ALARM_AFTER ? 'warn' : 'error']({ err: error }, 'the archive cannot be kept now; trying again');
    }
    await delay(backoffMs(failures, { minMs: 500, maxMs: 30_000 }), signal).catch(() => undefined);
  }
}

async function work(
  options: Work,
  pool: Pool,
  store: ObjectStore,
  lock: PoolClient,
  signal: AbortSignal,
  onPass: () => void,
): Promise<void> {
  const nowMs = Date.now;
  const blocked: BlockedHours = new Map();
  let keptAtMs = -Infinity;
  while (!signal.aborted) {
    const archived = await archivePass({ ...options, pool, store, nowMs }, lock, blocked, signal);
    if (archived > 0 || nowMs() - keptAtMs >= RETENTION_PAUSE_MS) {
      await retentionPass({ ...options, pool, store }, signal);
      await store.sweepScratch(ABANDONED_MS);
      keptAtMs = nowMs();
    }
    onPass();
    await delay(PAUSE_MS, signal).catch(() => undefined);
    // The lock is gone with its connection: then another archiver may be at work.
    await lock.query('SELECT 1');
  }
}
