import type { z } from 'zod';

/**
 * A queue: its name, what its jobs carry and how they are run. Producers and workers share it. Keys begin with the prefix, whose braces
 * keep a queue on one node of a Redis Cluster.
 */
export interface QueueDefinition<Payload> {
  readonly name: string;
  /** In braces, such as `{export}`. */
  readonly prefix: string;
  /** Tagged with a version; never a secret. */
  readonly payload: z.ZodType<Payload>;
}

/** A worker that has not renewed a job's lock for so long loses the job, milliseconds. It renews twice in that time. */
export const LOCK_MS = 30_000;
/** A job may lose its worker so often before BullMQ gives it up; the search for due work then adds it again. */
export const STALLED_MAX = 3;
