import type { z } from 'zod';

/**
 * Queue definition shared by producers and workers. Keys start with the prefix, whose braces keep a queue on one node
 * of a Redis Cluster.
 */
export interface QueueDefinition<Payload> {
  readonly name: string;
  /** In braces, such as `{export}`. */
  readonly prefix: string;
  /** Versioned payload; never contains secrets. */
  readonly payload: z.ZodType<Payload>;
}

/** Job lock lifetime; workers renew it twice in that time. */
export const LOCK_MS = 30_000;
/** Worker losses after which BullMQ drops a job; the search for due work then adds it again. */
export const STALLED_MAX = 3;
