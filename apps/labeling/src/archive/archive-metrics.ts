import type { Manifest } from '@market-state/archive';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ArchivedChannel } from '../store/archive-files';

/** What the archiver counts. */
export interface ArchiveMetrics {
  archived(channel: ArchivedChannel, manifest: Manifest): void;
  /** Whether something of a symbol can't be archived or removed until somebody looks at it. */
  blocked(channel: ArchivedChannel, symbol: string, isBlocked: boolean): void;
}

/** Registers the archiver's series. */
export function createArchiveMetrics(registry: Registry): ArchiveMetrics {
  const registers = [registry];
  const files = new Counter({
    name: 'labeling_archive_files_total',
    help: 'Files written and verified.',
    labelNames: ['channel'],
    registers,
  });
  const bytes = new Counter({ name: 'labeling_archive_bytes_total', help: 'Bytes of those files.', labelNames: ['channel'], registers });
  const blocked = new Gauge({
    name: 'labeling_archive_blocked',
    help: "1: rows can't be archived or removed.",
    labelNames: ['channel', 'symbol'],
    registers,
  });
  return {
    archived(channel, manifest) {
      files.inc({ channel });
      bytes.inc({ channel }, manifest.bytes);
    },
    blocked: (channel, symbol, isBlocked) => blocked.set({ channel, symbol }, isBlocked ? 1 : 0),
  };
}
