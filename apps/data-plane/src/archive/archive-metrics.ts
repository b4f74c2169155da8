import type { Manifest } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';

export type ArchiveMetrics = ReturnType<typeof createArchiveMetrics>;

export function createArchiveMetrics(metrics: Metrics, nowMs: () => number) {
  const labelNames = ['channel'] as const;
  const files = addCounter(metrics, 'archive_files_total', 'Files written and verified.', labelNames);
  const bytes = addCounter(metrics, 'archive_bytes_total', 'Bytes of those files.', labelNames);
  const rows = addCounter(metrics, 'archive_rows_total', 'Rows of those files.', labelNames);
  const verified = addGauge(metrics, 'archive_last_verified_seconds', 'When a file was last read back and verified, Unix time.');
  const lag = addGauge(metrics, 'archive_lag_hours', 'Age of the oldest finished hour that has no file, by the feed clock.');
  const blocked = addGauge(metrics, 'archive_blocked_hours', 'Hours that cannot be archived and need manual intervention.');
  const retentionBlocked = addGauge(metrics, 'archive_retention_blocked', '1: rows past their days cannot be dropped.', labelNames);
  const dropped = addCounter(metrics, 'archive_dropped_partitions_total', 'Day partitions dropped.', labelNames);
  const deleted = addCounter(metrics, 'archive_deleted_files_total', 'Files deleted at the end of their days.', labelNames);
  return {
    archived(channel: Channel, manifest: Manifest) {
      files.inc({ channel });
      bytes.inc({ channel }, manifest.bytes);
      rows.inc({ channel }, manifest.rows);
      verified.set(nowMs() / 1_000);
    },
    lag: (hours: number) => lag.set(hours),
    blockedHours: (total: number) => blocked.set(total),
    retentionBlocked: (channel: Channel, isBlocked: boolean) => retentionBlocked.set({ channel }, isBlocked ? 1 : 0),
    dropped: (channel: Channel) => dropped.inc({ channel }),
    deleted: (channel: Channel) => deleted.inc({ channel }),
  };
}
