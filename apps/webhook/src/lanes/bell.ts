import type { Logger } from '@market-state/logging';
import { createProducers } from '@market-state/queue';
import { LANE_QUEUES, shardOf } from './queue';
import type { Ring } from './ring';

/** Wakes workers. A ring that is lost only delays: a timer of the workers rings again. */
export interface Bell {
  ring(rings: readonly Ring[]): Promise<void>;
  close(): Promise<void>;
}

export function createBell(redisUrl: string, logger: Logger): Bell {
  const producers = createProducers(LANE_QUEUES, redisUrl, logger);
  return {
    async ring(rings) {
      const shards = new Map<number, Ring[]>();
      for (const ring of rings) {
        const shard = shardOf(ring);
        shards.set(shard, shards.get(shard) ?? []);
        shards.get(shard)?.push(ring);
      }
      const added = await Promise.allSettled([...shards].map(([shard, ofShard]) => producers.each[shard]?.addAll(ofShard.map(jobOf))));
      const lost = added.find((result) => result.status === 'rejected');
      if (lost !== undefined) logger.warn({ err: lost.reason }, 'workers could not be woken; they will be rung for again');
    },
    close: () => producers.close(),
  };
}

function jobOf(ring: Ring) {
  return { payload: { v: 1 as const, ...ring }, jobId: `${ring.endpointId}.${ring.ring}` };
}
