import type { RedisConnection } from './open-redis';

/** Resolves when the connection can take commands; rejects with the signal's reason when it aborts. */
export function whenReady(redis: RedisConnection, signal: AbortSignal): Promise<void> {
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
