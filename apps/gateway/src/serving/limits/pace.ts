import { beforeDeadline } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
import { LRUCache } from 'lru-cache';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { Problem } from '../errors/problem';
import { addressBlock } from '../http/request-lifetime';

/** Avoids LRUCache's up-front allocation: `max` takes 3 to 5 ms and 0.5 MB for 20,000 entries. */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface TakenTokens {
  readonly taken: number;
  /** Admissible immediately after these. */
  readonly free: number;
  /** Until one more call can be admitted. */
  readonly waitMs: number;
  readonly firstSlotMs: number;
}

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
 * up to an eighth of the free ones.
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

type GcraAnswer = [taken: number, free: number, waitUs: number, firstSlotUs: number];

interface BucketCommands {
  gcra(key: string, nowUs: number, intervalUs: number, burst: number, needed: number, wanted: number): Promise<GcraAnswer>;
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
  /** After this time the store counts as down; default 250 ms. */
  readonly answerMsMax?: number;
}

export function connectBuckets({
  redisUrl,
  logger,
  monotonicMs,
  clockMs,
  answerMsMax = ANSWER_MS_MAX,
}: SharedBucketsOptions): SharedBuckets {
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
        const [taken, free, waitUs, firstSlotUs] = await beforeDeadline(answerMsMax, answer);
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

/** Target lifetime of a share. */
const SHARE_SECONDS = 0.5;
const SHARE_MAX = 10_000;
const CALLERS_MAX = 20_000;

export interface RateStatus {
  readonly admitted: boolean;
  /** Admissible immediately after this call. */
  readonly remaining: number;
  /** 1 or more. */
  readonly growsInS: number;
}

export interface Pace {
  /** Null if the store must be called. */
  admitNow(key: string, rate: Rate): RateStatus | null;
  /** Certain refusal, not counted; null if the call may be admitted. */
  refusedNow(key: string, rate: Rate): RateStatus | null;
  admit(key: string, rate: Rate): Promise<RateStatus>;
}

export interface PaceDeps {
  readonly shared: SharedBuckets | null;
  readonly gatewayCount: number;
  readonly monotonicMs: () => number;
}

/** Prefetched calls; each expires when its slot has refilled. */
interface Share {
  left: number;
  firstSlotEndsMs: number;
}

interface Caller {
  /** Ordered by expiry. */
  readonly shares: Share[];
  /** Free tokens that the store last reported, at `reportedAtMs`. */
  free: number;
  reportedAtMs: number;
  deniedUntilMs: number;
  waiting: ((standing: RateStatus) => void)[];
  asking: boolean;
  readonly own: Bucket;
}

function shareOf({ perSecond }: Rate): number {
  return Math.min(SHARE_MAX, Math.ceil(perSecond * SHARE_SECONDS));
}

function heldOf({ shares }: Caller): number {
  return shares.reduce((total, { left }) => total + left, 0);
}

/** Made or expired calls. */
function spend(share: Share, calls: number, intervalMs: number): void {
  const spent = Math.min(share.left, calls);
  share.left -= spent;
  share.firstSlotEndsMs += spent * intervalMs;
}

function admitted(remaining: number, { perSecond }: Rate, waitMs: number): RateStatus {
  return { admitted: true, remaining, growsInS: Math.ceil(Math.max(waitMs, 1_000 / perSecond) / 1_000) };
}

function denied(waitMs: number): RateStatus {
  return { admitted: false, remaining: 0, growsInS: Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/**
 * Generic cell rate algorithm. The store holds the buckets; a gateway prefetches calls from one that is far from empty.
 * A prefetched call expires once the bucket would have refilled it, so prefetched and free calls together never exceed
 * the burst. While the store is down, each gateway enforces its part in memory.
 */
export function createPace({ shared, gatewayCount, monotonicMs }: PaceDeps): Pace {
  const callers = new LRUCache<string, Caller>(atMost(CALLERS_MAX));

  function callerOf(key: string): Caller {
    const known = callers.get(key);
    if (known !== undefined) return known;
    const made: Caller = { shares: [], free: 0, reportedAtMs: 0, deniedUntilMs: 0, waiting: [], asking: false, own: { fullAtMs: 0 } };
    callers.set(key, made);
    return made;
  }

  function remainingOf(caller: Caller, { perSecond, burst }: Rate, nowMs: number): number {
    const grown = Math.floor(((nowMs - caller.reportedAtMs) / 1_000) * perSecond);
    return Math.min(burst - 1, caller.free + heldOf(caller) + grown);
  }

  function takeAlone({ own }: Caller, { perSecond, burst }: Rate, calls: number): TakenTokens {
    const part = { perSecond: perSecond / gatewayCount, burst: Math.max(1, Math.floor(burst / gatewayCount)) };
    return takeFrom(own, part, monotonicMs(), calls);
  }

  function admitAlone(caller: Caller, rate: Rate): RateStatus {
    const { taken, free, waitMs } = takeAlone(caller, rate, 1);
    return taken === 1 ? admitted(free, rate, waitMs) : denied(waitMs);
  }

  function admitReserved(caller: Caller, rate: Rate): RateStatus | null {
    const nowMs = monotonicMs();
    const intervalMs = 1_000 / rate.perSecond;
    for (let share = caller.shares[0]; share !== undefined; share = caller.shares[0]) {
      if (share.firstSlotEndsMs <= nowMs) spend(share, Math.floor((nowMs - share.firstSlotEndsMs) / intervalMs) + 1, intervalMs);
      if (share.left > 0) {
        spend(share, 1, intervalMs);
        return admitted(remainingOf(caller, rate, nowMs), rate, 0);
      }
      caller.shares.shift();
    }
    return null;
  }

  /** Keeps the rest as a share. */
  function serveRequested(
    caller: Caller,
    rate: Rate,
    requested: Caller['waiting'],
    { taken, free, waitMs, firstSlotMs }: TakenTokens,
    sentMs: number,
  ): void {
    const served = Math.min(taken, requested.length);
    caller.free = free;
    caller.reportedAtMs = sentMs;
    if (taken > served)
      caller.shares.push({ left: taken - served, firstSlotEndsMs: sentMs + firstSlotMs + (served * 1_000) / rate.perSecond });
    if (served < requested.length) caller.deniedUntilMs = sentMs + waitMs;
    requested.forEach((resolve, index) => resolve(index < served ? admitted(free + heldOf(caller), rate, waitMs) : denied(waitMs)));
  }

  function ask(caller: Caller, key: string, rate: Rate, buckets: SharedBuckets): void {
    caller.asking = true;
    const waiting = caller.waiting;
    caller.waiting = [];
    const sentMs = monotonicMs();
    void buckets.take(key, rate, waiting.length, waiting.length + shareOf(rate)).then((answer) => {
      caller.asking = false;
      if (answer === null) for (const resolve of waiting) resolve(admitAlone(caller, rate));
      else serveRequested(caller, rate, waiting, answer, sentMs);
      if (caller.waiting.length > 0) ask(caller, key, rate, buckets);
    });
  }

  function refused(caller: Caller): RateStatus | null {
    const waitMs = caller.deniedUntilMs - monotonicMs();
    return waitMs > 0 && caller.shares.length === 0 ? denied(waitMs) : null;
  }

  return {
    refusedNow(key, rate) {
      const caller = callers.get(key);
      if (caller === undefined) return null;
      if (shared !== null && shared.isThere()) return refused(caller);
      const { free, waitMs } = takeAlone(caller, rate, 0);
      return free > 0 ? null : denied(waitMs);
    },
    admitNow(key, rate) {
      const caller = callerOf(key);
      if (shared === null || !shared.isThere()) return admitAlone(caller, rate);
      if (caller.waiting.length > 0) return null;
      const standing = admitReserved(caller, rate);
      if (standing !== null && !caller.asking && heldOf(caller) < shareOf(rate) / 4 && caller.free > rate.burst / 4)
        ask(caller, key, rate, shared);
      return standing;
    },
    admit(key, rate) {
      const caller = callerOf(key);
      if (shared === null || !shared.isThere()) return Promise.resolve(admitAlone(caller, rate));
      const held = caller.waiting.length > 0 ? null : admitReserved(caller, rate);
      if (held !== null) return Promise.resolve(held);
      const standing = refused(caller);
      if (standing !== null) return Promise.resolve(standing);
      return new Promise((resolve) => {
        caller.waiting.push(resolve);
        if (!caller.asking) ask(caller, key, rate, shared);
      });
    },
  };
}

export const REFUSED_RATE = { perMinute: 60, burst: 30 } as const;

const ADDRESSES_MAX = 20_000;

/** Counts per sending address (IPv6: /64). Accepted credentials never count. */
export interface RefusedCredentials {
  /** @throws {Problem} 429 while the address is over its limit */
  refuseWhileOver(address: string): void;
  /** @throws {Problem} 429 if this puts the address over its limit */
  count(address: string): Promise<void>;
}

interface RefusedCredentialsDeps {
  /** Separate, so that these addresses evict no other callers. */
  readonly pace: Pace;
  readonly rate: Rate;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export function createRefusedCredentials({ pace, rate, metrics, monotonicMs }: RefusedCredentialsDeps): RefusedCredentials {
  const refused = new Counter({
    name: 'credentials_rate_limited_total',
    help: 'Calls refused because their address had too many credentials refused.',
    registers: [metrics.registry],
  });
  const overUntilMs = new LRUCache<string, number>(atMost(ADDRESSES_MAX));

  function refuse(waitS: number): never {
    refused.inc();
    const sentence =
      `Too many refused credentials from this address: the limit is ${Math.round(rate.perSecond * 60)} a minute ` +
      `with a burst of ${rate.burst}. Nothing was charged.`;
    throw new Problem('rate_limited', sentence, { headers: { 'Retry-After': String(waitS) } });
  }

  return {
    refuseWhileOver(address) {
      const waitMs = (overUntilMs.get(addressBlock(address)) ?? 0) - monotonicMs();
      if (waitMs > 0) refuse(Math.ceil(waitMs / 1_000));
    },
    async count(address) {
      const block = addressBlock(address);
      const { admitted, growsInS } = await pace.admit(`rate:{a:${block}}:refused`, rate);
      if (admitted) return;
      overUntilMs.set(block, monotonicMs() + growsInS * 1_000);
      refuse(growsInS);
    },
  };
}
