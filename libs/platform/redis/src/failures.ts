import { ReplyError } from 'ioredis';
import type { RedisConnection } from './open-redis';

/** Whether Redis itself refused, as opposed to a lost, absent or silent connection. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/**
 * Connects anew where no answer came in time: the connection may be one to a node that is silent, and in a cluster another may have taken
 * over. What else is under way on it fails.
 */
export function leaveIfSilent(redis: RedisConnection, error: unknown): void {
  const isLate = error instanceof Error && error.message === 'Command timed out';
  if (isLate && redis.status === 'ready') redis.disconnect(true);
}
