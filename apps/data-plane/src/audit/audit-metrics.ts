import type { AuditMeasure, Comparison } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';

/** What the audit tells of its runs. */
export interface AuditMetrics {
  compared(symbol: string, measure: AuditMeasure, comparison: Comparison): void;
}

export function createAuditMetrics({ registry }: Metrics): AuditMetrics {
  const registers = [registry];
  const values = new Counter({
    name: 'feed_audit_values_total',
    help: 'Recorded values that were held against the venue, by result: equal, differs or not_compared.',
    labelNames: ['symbol', 'measure', 'result'],
    registers,
  });
  const differs = new Gauge({
    name: 'feed_audit_differs',
    help: '1 while the newest comparison with the venue found a value that differs.',
    labelNames: ['symbol', 'measure'],
    registers,
  });
  return {
    compared(symbol, measure, { comparedTotal, equalTotal, notComparedTotal }) {
      values.inc({ symbol, measure, result: 'equal' }, equalTotal);
      values.inc({ symbol, measure, result: 'differs' }, comparedTotal - equalTotal);
      values.inc({ symbol, measure, result: 'not_compared' }, notComparedTotal);
      if (comparedTotal > 0) differs.set({ symbol, measure }, equalTotal === comparedTotal ? 0 : 1);
    },
  };
}
