import { keepArchive, type ObjectStore } from '@market-state/archive';
import type { Closable } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { createArchiveMetrics } from './archive-metrics';
import { archivePass, type BlockedHours } from './archive-pass';
import type { RetentionDays } from './archive-settings';
import { retentionPass } from './retention-pass';

export interface ArchiverOptions {
  readonly databaseUrl: string;
  readonly store: ObjectStore;
  readonly days: RetentionDays;
  readonly symbols: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onDropped: () => void;
}

/** Retention also runs after each archived hour. */
const RETENTION_PAUSE_MS = 60_000;

export function startArchiver(options: ArchiverOptions): Closable {
  const { databaseUrl, store, logger } = options;
  const metrics = createArchiveMetrics(options.metrics, Date.now);
  return keepArchive({
    databaseUrl,
    store,
    logger,
    applicationName: 'data-plane-archiver',
    connectionsMax: 3,
    // Counting a day's rows is slow.
    statementTimeoutMs: 120_000,
    lockNumber: 4_801_338,
    pauseMs: 1_000,
    begin({ pool, lock, signal }) {
      const nowMs = Date.now;
      const blocked: BlockedHours = new Map();
      let keptAtMs = -Infinity;
      return async () => {
        const archived = await archivePass({ ...options, metrics, pool, nowMs }, lock, blocked, signal);
        if (archived === 0 && nowMs() - keptAtMs < RETENTION_PAUSE_MS) return;
        await retentionPass({ ...options, metrics, pool }, signal);
        keptAtMs = nowMs();
      };
    },
  });
}
