import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { WorkerDeps } from '../delivery/worker-deps';
import { ringDueLanes } from '../store/lanes';

const LANES_MAX = 2_000;

/** Rings lanes that come due, and again those whose ring was lost. Every worker does; none rings what another just rang. */
export function keepRinging({ pool, bell, clock, pace, logger }: WorkerDeps): Closable {
  return repeatUntilClosed(
    async () => {
      const nowMs = clock();
      await bell.ring(await ringDueLanes(pool, { nowMs, silentSinceMs: nowMs - pace.silentMs, limit: LANES_MAX }));
    },
    { intervalMs: pace.ringMs, onError: (error) => logger.warn({ err: error }, 'due lanes were not rung; it is tried again') },
  );
}
