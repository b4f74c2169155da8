import { parseRedisUrl } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import { Cluster, Redis, type RedisOptions, ReplyError } from 'ioredis';

/** A cluster's connections open lazily. */
export type RedisConnection = Redis | Cluster;

/** Its keys come first and share a hash tag. */
interface RedisScript {
  readonly lua: string;
  readonly numberOfKeys: number;
}

interface RedisUse {
  /** `market-state-<role>` in the server. */
  readonly role: string;
  readonly logger: Logger;
  /**
   * - `prompt`: commands fail within a second if Redis is unavailable, and after 5 s without a response.
   * - `blocking`: for reads of one key that block for 2 s; fails after 3 s without a response. In a cluster, connects only to that key's
   *   node.
   * - `patient`: commands have no deadline; for BullMQ workers, which have their own.
   */
  readonly manner: 'prompt' | 'blocking' | 'patient';
  readonly scripts?: Readonly<Record<string, RedisScript>>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_MS_MAX = { prompt: 5_000, blocking: 3_000, patient: undefined };
const DISCONNECT_TIMEOUT_MS = 100;
const RECONNECT_MS_MAX = 1_000;
const TRY_AGAIN_MS = 100;
/** Retries or redirections of a command: about a second, and for `patient` longer than a failover. */
const SENT_AGAIN_MAX = { prompt: 10, blocking: 10, patient: 400 };
/** Timeout and interval of slot map refreshes; `blocking` refreshes only on demand. */
const SLOTS_TIMEOUT_MS = 1_000;
const SLOTS_EVERY_MS = { prompt: 5_000, blocking: 0, patient: 5_000 };

/**
 * Reconnects as needed; returns immediately. A command may be sent twice if its connection breaks, so it must be idempotent.
 * @throws {RedisUrlError} on a URL that `parseRedisUrl` rejects
 */
export function openRedis(redisUrl: string, { role, logger, manner, scripts }: RedisUse): RedisConnection {
  const place = parseRedisUrl(redisUrl);
  const waits = manner === 'patient';
  const common: RedisOptions = {
    protocol: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    connectionName: `market-state-${role}`,
    disableClientInfo: true,
    ...(waits
      ? { maxRetriesPerRequest: null }
      : { commandTimeout: ANSWER_MS_MAX[manner], autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }),
  };
  const redis =
    place.kind === 'server'
      ? new Redis(place.url, { ...common, enableOfflineQueue: waits, retryStrategy: reconnectMs, scripts })
      : new Cluster([...place.nodes], {
          enableOfflineQueue: waits,
          enableReadyCheck: manner !== 'blocking',
          clusterRetryStrategy: reconnectMs,
          retryDelayOnFailover: TRY_AGAIN_MS,
          retryDelayOnClusterDown: TRY_AGAIN_MS,
          maxRedirections: SENT_AGAIN_MAX[manner],
          slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
          slotsRefreshInterval: SLOTS_EVERY_MS[manner],
          // Names are resolved per connection and verified against the node's certificate.
          dnsLookup: (host, done) => done(null, host),
          redisOptions: {
            ...common,
            username: place.username,
            password: place.password,
            ...(place.isEncrypted ? { tls: {} } : {}),
          },
          scripts,
        });
  redis.on('error', (error: Error) => logger.warn({ err: error, role }, 'redis is unreachable'));
  redis.on('node error', (error: Error, node: string) => logger.warn({ err: error, role, node }, 'a redis node is unreachable'));
  return redis;
}

function reconnectMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MS_MAX);
}

const SLOTS = 16_384;

/**
 * Round trip in milliseconds.
 * @throws Error if Redis does not answer or, in a cluster, the queried node lacks a primary and some keys are
 * unreachable
 */
export async function pingRedis(redis: RedisConnection): Promise<number> {
  const startedMs = performance.now();
  if (redis instanceof Cluster) assertWhole(String(await redis.cluster('INFO')));
  else await redis.ping();
  return performance.now() - startedMs;
}

function assertWhole(info: string): void {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1];
  const [state, served] = [field('cluster_state'), Number(field('cluster_slots_ok'))];
  if (state !== 'ok' || served !== SLOTS) throw new Error(`the cluster serves ${served} of ${SLOTS} slots, its state is ${state}`);
}

/** Rejects with the signal's reason on abort. */
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

/** An error sent by Redis, as opposed to a lost, missing or silent connection. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/** Reconnects after a response timeout: another node may have taken over. Other commands in flight fail. */
export function leaveIfSilent(redis: RedisConnection, error: unknown): void {
  const isLate = error instanceof Error && error.message === 'Command timed out';
  if (isLate && redis.status === 'ready') redis.disconnect(true);
}
