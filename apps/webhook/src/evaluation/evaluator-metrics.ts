import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What the evaluator counts. */
export interface EvaluatorMetrics {
  /** Rules that were looked at on a packet, and the packet's age then. */
  looked(rules: number, lagSeconds: number): void;
  told(kind: string, phase: string): void;
  suppressed(total: number): void;
  fanouts(total: number): void;
  /** An outbox entry that no message could be made of. */
  skipped(kind: string): void;
  /** Messages about packets over the day's number of their tenants. */
  leftOut(total: number): void;
}

export function createEvaluatorMetrics(registry: Registry): EvaluatorMetrics {
  const registers = [registry];
  const evaluations = new Counter({ name: 'alert_evaluations_total', help: 'Rules looked at on packets.', registers });
  const lag = new Histogram({
    name: 'alert_evaluation_lag_seconds',
    help: 'Time from the end of a window until its rules were looked at.',
    buckets: [1, 2, 5, 10, 30, 60, 300, 900],
    registers,
  });
  const transitions = new Counter({
    name: 'alert_transitions_total',
    help: 'Notices of rules by kind and phase.',
    labelNames: ['kind', 'phase'],
    registers,
  });
  const suppressed = new Counter({ name: 'alert_suppressed_total', help: 'Notices that a cooldown or a mute held back.', registers });
  const fanouts = new Gauge({ name: 'webhook_fanout_rows', help: 'Packets whose messages are still being made.', registers });
  const skipped = new Counter({
    name: 'webhook_outbox_skipped_total',
    help: 'Entries of outboxes that no message could be made of.',
    labelNames: ['kind'],
    registers,
  });
  const leftOut = new Counter({
    name: 'webhook_messages_left_out_total',
    help: 'Messages about packets that the plan of their tenant has no more of on the day.',
    registers,
  });
  return {
    looked(rules, lagSeconds) {
      evaluations.inc(rules);
      lag.observe(lagSeconds);
    },
    told: (kind, phase) => transitions.inc({ kind, phase }),
    suppressed: (total) => suppressed.inc(total),
    skipped: (kind) => skipped.inc({ kind }),
    leftOut: (total) => leftOut.inc(total),
    fanouts: (total) => fanouts.set(total),
  };
}
