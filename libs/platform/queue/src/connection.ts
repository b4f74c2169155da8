import type { Logger } from '@market-state/logging';
import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 5_000;
const RECONNECT_MS_MAX = 1_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MS_MAX);

/** The connection of a producer: it reconnects by itself, and what is sent while it is down fails at once. */
export function openProducerConnection(redisUrl: string, logger: Logger): Redis {
  const redis = new Redis(redisUrl, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy,
    connectionName: 'market-state-queue',
  });
  redis.on('error', (error: Error) => logger.warn({ err: error }, 'queue connection'));
  return redis;
}

/** The connection of a worker, which waits in Redis for jobs: it reconnects by itself and waits for as long as that takes. */
export function openWorkerConnection(redisUrl: string, logger: Logger): Redis {
  const redis = new Redis(redisUrl, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: null,
    retryStrategy,
    connectionName: 'market-state-queue-worker',
  });
  redis.on('error', (error: Error) => logger.warn({ err: error }, 'queue connection'));
  return redis;
}
