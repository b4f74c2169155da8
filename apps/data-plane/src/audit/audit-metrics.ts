import type { AuditMeasure, Comparison } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';

const RESULTS = ['equal', 'differs', 'not_compared'] as const;

/** What the audit tells of its runs. */
export interface AuditMetrics {
  /** Measures of a symbol are audited from now on, by the wall clock. */
  begins(symbol: string, measures: readonly AuditMeasure[], nowMs: number): void;
  /** A run that began then held values of a symbol against the venue. */
  ran(symbol: string, runMs: number): void;
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
  const lastRun = new Gauge({
    name: 'feed_audit_timestamp_seconds',
    help: 'When recorded values were last held against the venue, before the first time when the feed started, Unix time.',
    labelNames: ['symbol'],
    registers,
  });
  const ran = (symbol: string, atMs: number): void => lastRun.set({ symbol }, atMs / 1_000);
  return {
    begins(symbol, measures, nowMs) {
      ran(symbol, nowMs);
      for (const measure of measures) {
        differs.set({ symbol, measure }, 0);
        for (const result of RESULTS) values.inc({ symbol, measure, result }, 0);
      }
    },
    ran,
    compared(symbol, measure, { comparedTotal, equalTotal, notComparedTotal }) {
      values.inc({ symbol, measure, result: 'equal' }, equalTotal);
      values.inc({ symbol, measure, result: 'differs' }, comparedTotal - equalTotal);
      values.inc({ symbol, measure, result: 'not_compared' }, notComparedTotal);
      if (comparedTotal > 0) differs.set({ symbol, measure }, equalTotal === comparedTotal ? 0 : 1);
    },
  };
}
