import type { Logger } from '@market-state/logging';
import { Redis, ReplyError } from 'ioredis';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS_MAX = 1_000;
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * A connection that always reconnects, queues nothing while it is down, and never sends a command twice: the caller decides what a lost
 * reply means.
 */
export function openConnection(redisUrl: string, role: string, logger: Logger): Redis {
  const redis = new Redis(redisUrl, {
    protocol: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MS_MAX),
    connectionName: `market-state-${role}`,
    disableClientInfo: true,
  });
  redis.on('error', (error: Error) => logger.warn({ err: error, role }, 'event log connection'));
  return redis;
}

/** Resolves when the connection can take commands; rejects when the signal aborts. */
export function whenReady(redis: Redis, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => (): void => {
      redis.off('ready', onReady);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onReady = settle(resolve);
    const onAbort = settle(() => reject(signal.reason));
    if (signal.aborted === true) reject(signal.reason);
    else if (redis.status === 'ready') resolve();
    else {
      redis.on('ready', onReady);
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
}

/** Whether Redis itself refused, as opposed to a lost or absent connection. */
export function isReply(error: unknown): error is Error {
  return error instanceof ReplyError;
}
