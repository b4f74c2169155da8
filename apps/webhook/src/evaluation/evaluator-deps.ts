import type { account, exports, labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WakeUpNotifier } from '../delivery/wake-ups';
import type { InputDays } from '../store/inputs';

interface EvaluatorMetrics {
  evaluated(rules: number, lagSeconds: number): void;
  transitioned(kind: string, phase: string): void;
  suppressed(total: number): void;
  fanouts(total: number): void;
  skipped(kind: string): void;
  /** Packet messages dropped because the daily quota was used up. */
  leftOut(total: number): void;
}

export function createEvaluatorMetrics(registry: Registry): EvaluatorMetrics {
  const registers = [registry];
  const evaluations = new Counter({ name: 'alert_evaluations_total', help: 'Rules evaluated on packets.', registers });
  const lag = new Histogram({
    name: 'alert_evaluation_lag_seconds',
    help: 'Time from the end of a window to the evaluation of its rules.',
    buckets: [1, 2, 5, 10, 30, 60, 300, 900],
    registers,
  });
  const transitions = new Counter({
    name: 'alert_transitions_total',
    help: 'Rule notices by kind and phase.',
    labelNames: ['kind', 'phase'],
    registers,
  });
  const suppressed = new Counter({ name: 'alert_suppressed_total', help: 'Notices suppressed by a cooldown or mute.', registers });
  const fanouts = new Gauge({ name: 'webhook_fanout_rows', help: 'Packets whose messages are still being created.', registers });
  const skipped = new Counter({
    name: 'webhook_outbox_skipped_total',
    help: 'Outbox entries that could not become a message.',
    labelNames: ['kind'],
    registers,
  });
  const leftOut = new Counter({
    name: 'webhook_messages_left_out_total',
    help: 'Packet messages dropped because the daily quota of the tenant is used up.',
    registers,
  });
  return {
    evaluated(rules, lagSeconds) {
      evaluations.inc(rules);
      lag.observe(lagSeconds);
    },
    transitioned: (kind, phase) => transitions.inc({ kind, phase }),
    suppressed: (total) => suppressed.inc(total),
    skipped: (kind) => skipped.inc({ kind }),
    leftOut: (total) => leftOut.inc(total),
    fanouts: (total) => fanouts.set(total),
  };
}

export interface EvaluatorDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly notifier: WakeUpNotifier;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly accountOutbox: GrpcClient<account.OutboxServiceService>;
  readonly exportOutbox: GrpcClient<exports.OutboxServiceService>;
  readonly metrics: EvaluatorMetrics;
  readonly clock: () => number;
  readonly logger: Logger;
}
