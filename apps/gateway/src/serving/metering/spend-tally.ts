import type { WorkloadFamily } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';

/** Credits charged, added up here and told when the metrics are read: a labelled counter costs more than the rest of a charge. */
export interface SpendTally {
  add(family: WorkloadFamily, credits: number): void;
}

export function createSpendTally(metrics: Metrics): SpendTally {
  const tally = new Map<WorkloadFamily, number>();
  new Counter({
    name: 'credits_charged_total',
    help: 'Credits charged, by workload family.',
    labelNames: ['family'],
    registers: [metrics.registry],
    collect() {
      for (const [family, credits] of tally) this.inc({ family }, credits);
      tally.clear();
    },
  });
  return {
    add: (family, credits) => void tally.set(family, (tally.get(family) ?? 0) + credits),
  };
}
