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

/** How long a worker has a job without saying so again, and how often it says so, milliseconds. */
export const LOCK_MS = 30_000;
export const LOCK_RENEWAL_MS = 15_000;
/** How often a job may lose its worker before it is given up; a job that only wakes somebody loses nothing by that. */
export const STALLED_MAX = 3;
