import { beforeDeadline } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TakenTokens {
  readonly taken: number;
  /** Admissible immediately after these. */
  readonly free: number;
  /** Until one more call can be admitted. */
  readonly waitMs: number;
  readonly firstSlotMs: number;
}

/** Generic cell rate algorithm: the state is the instant when the bucket is full again. */
export interface Bucket {
  fullAtMs: number;
}

export function takeFrom(bucket: Bucket, { perSecond, burst }: Rate, nowMs: number, wanted: number): TakenTokens {
  const intervalMs = 1_000 / perSecond;
  const fullAtMs = Math.min(Math.max(bucket.fullAtMs, nowMs), nowMs + burst * intervalMs);
  // Absorbs floating-point drift.
  const free = Math.floor((nowMs + burst * intervalMs - fullAtMs) / intervalMs + 1e-6);
  const taken = Math.min(wanted, free);
  bucket.fullAtMs = fullAtMs + taken * intervalMs;
  const waitMs = free - taken > 0 ? 0 : Math.max(0, bucket.fullAtMs + intervalMs - (nowMs + burst * intervalMs));
  return { taken, free: free - taken, waitMs, firstSlotMs: fullAtMs - nowMs + intervalMs };
}

const ANSWER_MS_MAX = 250;
const TRY_AGAIN_MS = 1_000;

/**
 * One GCRA step, in microseconds of the store's clock (or ARGV[1] if not 0). Admits the calls needed, and for a share
 * up to an eighth of the free ones. Returns calls admitted, calls free, wait for one more, and when the first slot
 * refills.
 */
const SCRIPT = `
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local interval = tonumber(ARGV[2])
local burst = tonumber(ARGV[3])
local needed = tonumber(ARGV[4])
local wanted = tonumber(ARGV[5])
local ceiling = now + burst * interval
local full = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now), ceiling)
local free = math.floor((ceiling - full) / interval)
local taken = math.min(free, math.max(needed, math.min(wanted, math.floor(free / 8))))
local after = full + taken * interval
if taken > 0 then redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1000) end
local wait = 0
if free - taken < 1 then wait = math.max(0, after + interval - ceiling) end
return {taken, free - taken, wait, full - now + interval}
`;

interface BucketCommands {
  gcra(
    key: string,
    nowUs: number,
    intervalUs: number,
    burst: number,
    needed: number,
    wanted: number,
  ): Promise<[number, number, number, number]>;
}

export interface SharedBuckets {
  /** Up to `wanted` while many are free; null if the store does not answer in time. */
  take(key: string, rate: Rate, needed: number, wanted: number): Promise<TakenTokens | null>;
  /** False while the store is considered down. */
  isThere(): boolean;
  close(): Promise<void>;
}

interface SharedBucketsOptions {
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  /** Replaces the store's clock in tests. */
  readonly clockMs?: () => number;
}

export function connectBuckets({ redisUrl, logger, monotonicMs, clockMs }: SharedBucketsOptions): SharedBuckets {
  const redis = openRedis(redisUrl, { role: 'limits', logger, manner: 'prompt', scripts: { gcra: { lua: SCRIPT, numberOfKeys: 1 } } });
  const commands = redis as unknown as BucketCommands;
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  function isThere(): boolean {
    return redis.status === 'ready' && monotonicMs() >= awayUntilMs;
  }

  return {
    isThere,
    async take(key, rate, needed, wanted) {
      if (!isThere()) return null;
      try {
        const nowUs = clockMs === undefined ? 0 : Math.round(clockMs() * 1_000);
        const intervalUs = Math.round(1_000_000 / rate.perSecond);
        const answer = commands.gcra(key, nowUs, intervalUs, rate.burst, needed, wanted);
        const [taken, free, waitUs, firstSlotUs] = await beforeDeadline(ANSWER_MS_MAX, answer);
        return { taken, free, waitMs: waitUs / 1_000, firstSlotMs: firstSlotUs / 1_000 };
      } catch (error) {
        awayUntilMs = monotonicMs() + TRY_AGAIN_MS;
        logger.warn({ err: error }, 'rate limits are kept in memory until the store answers again');
        return null;
      }
    },
    close() {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
