import { type Closable, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { keepRun, readLastRun } from '../store/audit-results';
import type { AuditMetrics } from './audit-metrics';
import type { AuditTarget } from './audit-target';
import type { AuditDeps } from './recorded-rows';

/** From the beginning of one run to that of the next. */
const EVERY_MS = 600_000;
/** After the start: some minutes are recorded and over then. */
const FIRST_MS = 180_000;

export interface AuditRunDeps extends AuditDeps {
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
