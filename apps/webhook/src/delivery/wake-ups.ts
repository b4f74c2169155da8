import type { Logger } from '@market-state/logging';
import { createNotifier, type Notifier, type WakeUpQueue } from '@market-state/queue';
import { z } from 'zod';

/** Wakes a worker for one endpoint queue. Each queue has at most one valid wake-up; workers ignore superseded ones. */
export interface WakeUp {
  readonly endpointId: string;
  readonly number: number;
}

export type WakeUpNotifier = Notifier<WakeUp>;

const SHARDS = 16;

/** The work itself is in the database. */
export const ENDPOINT_QUEUES: WakeUpQueue<WakeUp> = {
  name: 'lanes',
  prefixes: Array.from({ length: SHARDS }, (_, shard) => `{webhook-${shard}}`),
  // Workers of the previous release read the number as `ring`.
  payload: z.codec(
    z.object({ v: z.literal(1), endpointId: z.string(), ring: z.int().positive() }),
    z.object({ endpointId: z.string(), number: z.int().positive() }),
    {
      decode: ({ endpointId, ring }) => ({ endpointId, number: ring }),
      encode: ({ endpointId, number }) => ({ v: 1 as const, endpointId, ring: number }),
    },
  ),
  keyOf: ({ endpointId }) => endpointId,
  jobIdOf: ({ endpointId, number }) => `${endpointId}.${number}`,
};

export function createDeliveryNotifier(redisUrl: string, logger: Logger): WakeUpNotifier {
  return createNotifier(ENDPOINT_QUEUES, redisUrl, logger);
}
