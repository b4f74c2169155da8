import type { Manifest } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';

export interface ArchiveMetrics {
  archived(channel: Channel, manifest: Manifest): void;
  lag(hours: number): void;
  blockedHours(total: number): void;
  retentionBlocked(channel: Channel, isBlocked: boolean): void;
  dropped(channel: Channel): void;
  deleted(channel: Channel): void;
}

export function createArchiveMetrics(metrics: Metrics, nowMs: () => number): ArchiveMetrics {
  const registers = [metrics.registry];
  const labelNames = ['channel'] as const;
  const files = new Counter({ name: 'archive_files_total', help: 'Files written and verified.', labelNames, registers });
  const bytes = new Counter({ name: 'archive_bytes_total', help: 'Bytes of those files.', labelNames, registers });
  const rows = new Counter({ name: 'archive_rows_total', help: 'Rows of those files.', labelNames, registers });
  const verified = new Gauge({
    name: 'archive_last_verified_seconds',
    help: 'When a file was last read back and verified, Unix time.',
    registers,
  });
  const lag = new Gauge({
    name: 'archive_lag_hours',
    help: 'Age of the oldest finished hour that has no file, by the feed clock.',
    registers,
  });
  const blocked = new Gauge({
    name: 'archive_blocked_hours',
    help: 'Hours that cannot be archived and need manual intervention.',
    registers,
  });
  const retentionBlocked = new Gauge({
    name: 'archive_retention_blocked',
    help: '1: rows past their days cannot be dropped.',
    labelNames,
    registers,
  });
  const dropped = new Counter({ name: 'archive_dropped_partitions_total', help: 'Day partitions dropped.', labelNames, registers });
  const deleted = new Counter({
    name: 'archive_deleted_files_total',
    help: 'Files deleted at the end of their days.',
    labelNames,
    registers,
  });
  return {
    archived(channel, manifest) {
      files.inc({ channel });
      bytes.inc({ channel }, manifest.bytes);
      rows.inc({ channel }, manifest.rows);
      verified.set(nowMs() / 1_000);
    },
    lag: (hours) => lag.set(hours),
    blockedHours: (total) => blocked.set(total),
    retentionBlocked: (channel, isBlocked) => retentionBlocked.set({ channel }, isBlocked ? 1 : 0),
    dropped: (channel) => dropped.inc({ channel }),
    deleted: (channel) => deleted.inc({ channel }),
  };
}
