import { onPath } from '../on-path';

/** Path of `redis-server`, or else `valkey-server`, on PATH; undefined if there is neither. */
export function redisServerOnPath(): string | undefined {
  return onPath('redis-server') ?? onPath('valkey-server');
}

/**
 * Path of `redis-server`, or else `valkey-server`, on PATH.
 * @throws Error if there is neither
 */
export function findRedisServer(): string {
  const found = redisServerOnPath();
  if (found === undefined)
    throw new Error('No redis-server or valkey-server is on PATH. The npm scripts download Redis, or say how to install it.');
  return found;
}
