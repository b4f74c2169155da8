import { type Closable, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { AuditMeasure, Comparison } from '@market-state/market-data';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import { keepRun, readLastRun } from '../store/audit-results';
import type { AuditTarget } from './audit-target';
import type { AuditDeps } from './recorded-rows';

const RESULTS = ['equal', 'differs', 'not_compared'] as const;

interface AuditMetrics {
  begins(symbol: string, measures: readonly AuditMeasure[], nowMs: number): void;
  ran(symbol: string, runMs: number): void;
  compared(symbol: string, measure: AuditMeasure, comparison: Comparison): void;
}

export function createAuditMetrics({ registry }: Metrics): AuditMetrics {
  const registers = [registry];
  const values = new Counter({
    name: 'feed_audit_values_total',
    help: 'Recorded values compared with the venue, by result: equal, differs or not_compared.',
    labelNames: ['symbol', 'measure', 'result'],
    registers,
  });
  const differs = new Gauge({
    name: 'feed_audit_differs',
    help: '1 while the newest comparison with the venue has a difference.',
    labelNames: ['symbol', 'measure'],
    registers,
  });
  const lastRun = new Gauge({
    name: 'feed_audit_timestamp_seconds',
    help: 'When recorded values were last compared with the venue (initially when the feed started), Unix time.',
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

const EVERY_MS = 600_000;
/** Allows some complete minutes to be recorded first. */
const FIRST_MS = 180_000;

interface AuditRunDeps extends AuditDeps {
  readonly logger: Logger;
  readonly metrics: AuditMetrics;
  readonly isPlaying: (symbol: string) => boolean;
}

/** One symbol at a time, until closed. Read-only; failures wait for the next run. */
export function startAudit(deps: AuditRunDeps, targets: readonly AuditTarget[]): Closable {
  const { clock, logger } = deps;
  for (const { symbol, measures } of targets) deps.metrics.begins(symbol, measures, clock.nowMs());
  return runUntilClosed(async (signal) => {
    try {
      // Runs missed by a slow run or a suspended machine are skipped.
      for (let nextMs = clock.nowMs() + FIRST_MS; ; nextMs = Math.max(nextMs + EVERY_MS, clock.nowMs())) {
        await clock.waitUntil(nextMs, signal);
        for (const target of targets) {
          await auditOnce(deps, target, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            logger.error({ symbol: target.symbol, err: error }, 'comparison with the venue failed');
          });
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** Skips symbols that another feed plays. Rejects while the store is unavailable. */
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
