import { Counter, Histogram, type Registry } from 'prom-client';

export interface LabelMetrics {
  readonly entries: Counter<'symbol'>;
  readonly packets: Counter<'symbol'>;
  readonly refused: Counter<'symbol'>;
  readonly checkpoints: Counter<'symbol'>;
  readonly refusedCheckpoints: Counter<'symbol'>;
  readonly newChains: Counter<'symbol'>;
  readonly holes: Counter<'symbol'>;
  readonly restored: Counter<'symbol'>;
  readonly restarts: Counter<'symbol'>;
  readonly readToPushed: Histogram;
}

export function createLabelMetrics(registry: Registry): LabelMetrics {
  const registers = [registry];
  const labelNames = ['symbol'] as const;
  return {
    entries: new Counter({ name: 'labeling_log_entries_total', help: 'Log entries labelled.', labelNames, registers }),
    packets: new Counter({ name: 'labeling_packets_total', help: 'Packets stored or found stored.', labelNames, registers }),
    refused: new Counter({
      name: 'labeling_packets_refused_total',
      help: 'Packets that differ from the one stored for their window.',
      labelNames,
      registers,
    }),
    checkpoints: new Counter({ name: 'labeling_checkpoints_total', help: 'Checkpoints stored or found stored.', labelNames, registers }),
    refusedCheckpoints: new Counter({
      name: 'labeling_checkpoints_refused_total',
      help: 'Checkpoints that differ from the one stored for their window.',
      labelNames,
      registers,
    }),
    newChains: new Counter({
      name: 'labeling_new_chains_total',
      help: 'Times a symbol started a new chain because its saved state could not be continued.',
      labelNames,
      registers,
    }),
    holes: new Counter({ name: 'labeling_log_holes_total', help: 'Gaps in the log entries.', labelNames, registers }),
    restored: new Counter({
      name: 'labeling_states_restored_total',
      help: 'Times a state was restored from a checkpoint because it included log entries that were lost before they were recorded.',
      labelNames,
      registers,
    }),
    restarts: new Counter({
      name: 'labeling_restarts_total',
      help: 'Times a symbol restarted from its saved state.',
      labelNames,
      registers,
    }),
    readToPushed: new Histogram({
      name: 'labeling_read_to_pushed_seconds',
      help: 'Time from reading the entries that close a window to the push of its stored packet.',
      buckets: [0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
  };
}
