import { parseRedisUrl } from '@market-state/config';
import type { Logger } from '@market-state/logging';
import { Cluster, Redis, type RedisOptions, ReplyError } from 'ioredis';

/** A connection to one server, or connections to the nodes of a cluster, made as commands need them. */
export type RedisConnection = Redis | Cluster;

/** A Lua script that the connection has as a command. Its keys have one hash tag, and come first. */
interface RedisScript {
  readonly lua: string;
  readonly numberOfKeys: number;
}

/** What a connection is for. */
interface RedisUse {
  /** Servers list the connection as `market-state-<role>`. */
  readonly role: string;
  readonly logger: Logger;
  /**
   * - `prompt`: what is sent while Redis is away fails within a second, what is not answered within 5 s fails.
   * - `blocking`: for one who waits in Redis for one key, 2 s at a time; what is not answered within 3 s fails. In a cluster its only
   *   lasting connection is to the node that has the key.
   * - `patient`: what is sent waits until Redis is there, without a deadline: for BullMQ's workers, which have their own.
   */
  readonly manner: 'prompt' | 'blocking' | 'patient';
  readonly scripts?: Readonly<Record<string, RedisScript>>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** How long an answer may take, milliseconds; undefined: for ever. */
const ANSWER_MS_MAX = { prompt: 5_000, blocking: 3_000, patient: undefined };
const DISCONNECT_TIMEOUT_MS = 100;
const RECONNECT_MS_MAX = 1_000;
/** Between two tries of a command whose node is away, milliseconds. */
const TRY_AGAIN_MS = 100;
/** How often a command is sent to another node, or again: a second of trying, and for the patient longer than a failover. */
const SENT_AGAIN_MAX = { prompt: 10, blocking: 10, patient: 400 };
/** How long a node may take to say which node has which slots, and how often one is asked, milliseconds. Who blocks asks when it must. */
const SLOTS_TIMEOUT_MS = 1_000;
const SLOTS_EVERY_MS = { prompt: 5_000, blocking: 0, patient: 5_000 };

/**
 * Connects to the Redis at this URL, and again whenever the connection is lost. Returns at once. Of a cluster a command goes to the node
 * that has its keys, wherever that moves; one whose connection broke under way may be sent twice, so commands must bear that.
 * @throws {RedisUrlError} on a URL that `parseRedisUrl` refuses
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
          // A name is looked up at each connection, and is what the certificate of a node is held against.
          dnsLookup: (host, done) => done(null, host),
          redisOptions: {
            ...common,
            username: place.username,
            password: place.password,
            ...(place.isEncrypted ? { tls: {} } : {}),
          },
          scripts,
        });
  redis.on('error', (error: Error) => logger.warn({ err: error, role }, 'redis cannot be reached'));
  redis.on('node error', (error: Error, node: string) => logger.warn({ err: error, role, node }, 'a redis node cannot be reached'));
  return redis;
}

function reconnectMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MS_MAX);
}

/** Slots that the keys of a cluster are in. */
const SLOTS = 16_384;

/**
 * Round trip, milliseconds.
 * @throws Error when Redis does not answer or, of a cluster, when the node asked misses a primary: then some keys can't be reached
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
