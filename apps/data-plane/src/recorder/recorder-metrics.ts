import type { EventLog } from '@market-state/event-log';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Committed } from './commit-batch';

export interface RecorderMetrics {
  observe(symbol: string, committed: Committed, durationS: number): void;
}

/** Read from the log on each scrape. */
export function createRecorderMetrics(metrics: Metrics, log: Pick<EventLog, 'lastId'>): RecorderMetrics {
  const registers = [metrics.registry];
  const positions = new Map<string, number>();
  const rows = new Counter({ name: 'recorder_rows_total', help: 'Rows written.', labelNames: ['symbol'], registers });
  const batchRows = new Histogram({
    name: 'recorder_batch_rows',
    help: 'Rows of one transaction.',
    buckets: [1, 5, 20, 100, 500, 1_000, 2_000],
    registers,
  });
  const commitSeconds = new Histogram({
    name: 'recorder_commit_seconds',
    help: 'Time of one transaction.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  new Gauge({
    name: 'recorder_lag_entries',
    help: 'Entries of the log that are not yet written.',
    labelNames: ['symbol'],
    registers,
    async collect() {
      for (const [symbol, ordinal] of positions) {
        const last = await log.lastId(symbol).catch(() => undefined);
        if (last !== undefined) this.set({ symbol }, Math.max(0, last.ordinal - ordinal));
      }
    },
  });
  return {
    observe(symbol, committed, durationS) {
      positions.set(symbol, committed.position.ordinal);
      rows.inc({ symbol }, committed.rows);
      batchRows.observe(committed.rows);
      commitSeconds.observe(durationS);
    },
  };
}
