import { startWorkers } from '@market-state/queue';
import { createAttempts } from '../delivery/attempts';
import type { WorkerDeps } from '../delivery/worker-deps';
import { LANE_QUEUES } from './queue';

/** Lanes of a shard that one process looks at, at a time. */
const AT_ONCE = 8;

/** Answers rings until it is closed; then resolves when the attempts under way have ended. */
export function answerRings(deps: WorkerDeps, redisUrl: string): { close(): Promise<void> } {
  const attempts = createAttempts(deps);
  const workers = startWorkers(LANE_QUEUES, { redisUrl, logger: deps.logger, concurrency: AT_ONCE }, attempts.look);
  return {
    async close() {
      await workers.close();
      await attempts.close();
    },
  };
}
