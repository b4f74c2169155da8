import type { Logger } from '@market-state/logging';
import { createProducers, type QueueDefinition } from '@market-state/queue';
import { z } from 'zod';

/** Wakes a worker for one lane. A lane has one at most, and a worker ignores those that another has followed. */
export interface Ring {
  readonly endpointId: string;
  /** The ring of the lane, from 1. */
  readonly ring: number;
}

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

const payload = z.object({ v: z.literal(1), endpointId: z.string(), ring: z.int().positive() });

type RingPayload = z.output<typeof payload>;

const SHARDS = 16;

/** The queues that wake workers, on as many nodes of Redis as there are. What there is to send is in the database. */
export const LANE_QUEUES: readonly QueueDefinition<RingPayload>[] = Array.from({ length: SHARDS }, (_, shard) => ({
  name: 'lanes',
  prefix: `{webhook-${shard}}`,
  payload,
}));

/** The queue of a lane, by FNV-1a of its endpoint's id. */
function shardOf({ endpointId }: Ring): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < endpointId.length; at++) hash = Math.imul(hash ^ endpointId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % SHARDS;
}
