import { type Closable, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { AuditMeasure, Comparison } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import { keepRun, readLastRun } from '../store/audit-results';
import type { AuditTarget } from './audit-target';
import type { AuditDeps } from './recorded-rows';

const RESULTS = ['equal', 'differs', 'not_compared'] as const;

/** What the audit tells of its runs. */
interface AuditMetrics {
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

/** From the beginning of one run to that of the next. */
const EVERY_MS = 600_000;
/** After the start: some minutes are recorded and over then. */
const FIRST_MS = 180_000;

interface AuditRunDeps extends AuditDeps {
  readonly logger: Logger;
  readonly metrics: AuditMetrics;
  /** Whether this feed writes the symbol's log, in time. */
  readonly isPlaying: (symbol: string) => boolean;
}

/**
 * Holds what is recorded of each symbol against its venue every ten minutes, one symbol after the other, until closed. It reads rows and
 * asks the venue; it changes no row. What fails is tried again at the next time.
 */
export function startAudit(deps: AuditRunDeps, targets: readonly AuditTarget[]): Closable {
  const { clock, logger } = deps;
  for (const { symbol, measures } of targets) deps.metrics.begins(symbol, measures, clock.nowMs());
  return runUntilClosed(async (signal) => {
    try {
      // A run that took long, or a machine that slept, is not made up for.
      for (let nextMs = clock.nowMs() + FIRST_MS; ; nextMs = Math.max(nextMs + EVERY_MS, clock.nowMs())) {
        await clock.waitUntil(nextMs, signal);
        for (const target of targets) {
          await auditOnce(deps, target, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            logger.error({ symbol: target.symbol, err: error }, 'the comparison with the venue failed');
          });
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** One run of one symbol, unless another feed plays it. Rejects while the store is away. */
export async function auditOnce(deps: AuditRunDeps, target: AuditTarget, signal: AbortSignal): Promise<void> {
  const { pool, clock, logger, metrics, isPlaying } = deps;
  const { symbol } = target;
  if (!isPlaying(symbol)) return;
  const runMs = clock.nowMs();
  const last = await readLastRun(pool, symbol);
  const found = await target.compare(last?.toMs[target.source === 'venue' ? 'candles' : 'book'], signal);
  await keepRun(pool, target, runMs, found);
  if (found.some(({ comparison }) => comparison.comparedTotal > 0)) metrics.ran(symbol, runMs);
  for (const { measure, comparison } of found) {
    metrics.compared(symbol, measure, comparison);
    if (comparison.largest !== undefined)
      logger.warn({ symbol, measure, ...comparison.largest }, 'a recorded value differs from the venue');
  }
}
