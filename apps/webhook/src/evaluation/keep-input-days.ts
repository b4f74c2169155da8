import { dropPastInputDays } from '../store/input-days';
import type { EvaluatorDeps } from './evaluator-deps';

/** Makes the days of inputs of today and tomorrow, and drops those that are not kept any more. */
export async function keepInputDays({
  pool,
  inputDays,
  clock,
  logger,
}: Pick<EvaluatorDeps, 'pool' | 'inputDays' | 'clock' | 'logger'>): Promise<void> {
  const nowMs = clock();
  await inputDays.ensure([nowMs]);
  const dropped = await dropPastInputDays(pool, nowMs);
  if (dropped.length > 0)
    logger.info({ days: dropped.map((dayMs) => new Date(dayMs).toISOString().slice(0, 10)) }, 'days of inputs were dropped');
}
