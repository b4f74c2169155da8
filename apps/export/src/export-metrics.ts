import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ExportSpec, PartFacts } from './jobs/job';

const PART_SECONDS = [0.1, 0.3, 1, 3, 10, 30, 100, 300];
const WAIT_SECONDS = [0.1, 0.5, 2, 10, 60, 300, 1_800, 7_200];

export interface ExportMetrics {
  made(spec: ExportSpec, facts: PartFacts, bytes: number, seconds: number): void;
  waited(seconds: number): void;
  fenced(): void;
  stalled(): void;
  jobs(byStatus: ReadonlyMap<string, number>): void;
  oldestQueued(seconds: number): void;
  settlePending(total: number): void;
  pausedForSpace(isPaused: boolean): void;
}

export function createExportMetrics(registry: Registry): ExportMetrics {
  const registers = [registry];
  const partSeconds = new Histogram({
    name: 'export_part_seconds',
    help: 'Time from the claim of a part to its file in the store.',
    labelNames: ['dataset', 'format'],
    buckets: PART_SECONDS,
    registers,
  });
  const rows = new Counter({ name: 'export_rows_total', help: 'Rows in completed parts.', labelNames: ['dataset'], registers });
  const bytes = new Counter({ name: 'export_bytes_total', help: 'Bytes in completed parts.', labelNames: ['dataset'], registers });
  const wait = new Histogram({
    name: 'export_queue_wait_seconds',
    help: 'Time from the creation of a job to the claim of its first part.',
    buckets: WAIT_SECONDS,
    registers,
  });
  const fenced = new Counter({ name: 'export_fenced_commits_total', help: 'Commits of superseded attempts.', registers });
  const stalled = new Counter({ name: 'export_stalled_total', help: 'Queue jobs whose worker was lost.', registers });
  const jobs = new Gauge({ name: 'export_jobs', help: 'Jobs that have not ended.', labelNames: ['status'], registers });
  const oldest = new Gauge({
    name: 'export_oldest_queued_seconds',
    help: 'Age of the oldest job that waits for a worker and not for another job of its tenant; 0 if there is none.',
    registers,
  });
  const settlePending = new Gauge({
    name: 'export_settle_pending',
    help: 'Jobs with complete files that are not charged yet.',
    registers,
  });
  const paused = new Gauge({
    name: 'export_paused_for_space',
    help: '1 while no part is started because the disk is nearly full.',
    registers,
  });
  return {
    made({ dataset, format }, facts, size, seconds) {
      partSeconds.observe({ dataset, format }, seconds);
      rows.inc({ dataset }, facts.rows);
      bytes.inc({ dataset }, size);
    },
    waited: (seconds) => wait.observe(seconds),
    fenced: () => fenced.inc(),
    stalled: () => stalled.inc(),
    jobs(byStatus) {
      for (const status of ['queued', 'running', 'publishing']) jobs.set({ status }, byStatus.get(status) ?? 0);
    },
    oldestQueued: (seconds) => oldest.set(seconds),
    settlePending: (total) => settlePending.set(total),
    pausedForSpace: (isPaused) => paused.set(isPaused ? 1 : 0),
  };
}
