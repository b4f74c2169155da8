import type { Logger } from '@market-state/logging';
import { createProducer } from '@market-state/queue';
import { LANE_QUEUES, shardOf } from './queue';
import type { Ring } from './ring';

/** Wakes workers. A ring that is lost only delays: a timer of the workers rings again. */
export interface Bell {
  ring(rings: readonly Ring[]): Promise<void>;
  close(): Promise<void>;
}

export function createBell(redisUrl: string, logger: Logger): Bell {
  const producers = LANE_QUEUES.map((queue) => createProducer(queue, redisUrl, logger));
  return {
    async ring(rings) {
      const added = await Promise.allSettled(
        rings.map((ring) => producers[shardOf(ring)]?.add({ v: 1, ...ring }, { jobId: `${ring.endpointId}.${ring.ring}` })),
      );
      const lost = added.filter((result) => result.status === 'rejected');
      if (lost[0] !== undefined)
        logger.warn({ err: lost[0].reason, rings: lost.length }, 'workers could not be woken; they will be rung for again');
    },
    async close() {
      await Promise.all(producers.map((producer) => producer.close()));
    },
  };
}
