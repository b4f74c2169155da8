import type { QueueDefinition } from '@market-state/queue';
import { z } from 'zod';

/** Wakes a worker for one lane. A lane has one at most, and a worker ignores those that another has followed. */
export interface Ring {
  readonly endpointId: string;
  /** The ring of the lane, from 1. */
  readonly ring: number;
}

const payload = z.object({ v: z.literal(1), endpointId: z.string(), ring: z.int().positive() });

export type RingPayload = z.output<typeof payload>;

const SHARDS = 16;

/** The queues that wake workers, on as many nodes of Redis as there are. What there is to send is in the database. */
export const LANE_QUEUES: readonly QueueDefinition<RingPayload>[] = Array.from({ length: SHARDS }, (_, shard) => ({
  name: 'lanes',
  prefix: `{webhook-${shard}}`,
  payload,
}));

/** The queue of a lane, by FNV-1a of its endpoint's id. */
export function shardOf({ endpointId }: Ring): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < endpointId.length; at++) hash = Math.imul(hash ^ endpointId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % SHARDS;
}
