import type { IncomingMessage } from 'node:http';
import { resourceExhausted } from '@market-state/errors';
import { createKeyedConcurrencyLimit, type KeyedConcurrencyLimit } from '@market-state/lifecycle';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import { isPaidByMessages } from '@market-state/pricing';
import type { Grant } from './auth/credentials';
import { Problem } from './errors/problem';
import { addressBlock, type AddressReader } from './http/request-lifetime';
import type { Pace, Rate, RateStatus } from './limits/pace';
import type { RateClass } from './openapi/document';
import type { Operation } from './openapi/operations';
import { API_KEY_HEADER } from './auth/authorise';
import type { CredentialDirectory } from './auth/credential-directory';
import { weightOfOperation } from './metering/call-price';
import type { Input } from './validation/request-validator';

const WINDOW_S = 60;

export const PUBLIC_RATE = { perMinute: 60, burst: 30 } as const;

export const STATIC_RATE = { perMinute: 600, burst: 200 } as const;

export interface RequestLimits {
  /**
   * @returns headers as alternating names and values
   * @throws {Problem} 429
   */
  admit(operation: Operation, grant: Grant | null, req: IncomingMessage): Promise<readonly string[]>;
  /** @throws {Problem} 429 */
  admitFile(req: IncomingMessage): Promise<void>;
  /**
   * Counts calls to unknown paths or without a required credential.
   * @throws {Problem} 429, and closes the connection
   */
  countStray(req: IncomingMessage): Promise<void>;
  /** Null if the store is needed or a limit is reached. A later `admit` of the request does not count it twice. */
  admitNow(operation: Pick<Operation, 'rateClass'>, grant: Grant, req: IncomingMessage): readonly string[] | null;
  /** The call's 429 if known without the store, else null. */
  refuseNow(operation: Pick<Operation, 'rateClass'>, grant: Grant): Problem | null;
}

export interface RequestLimitsDeps {
  readonly pace: Pace;
  readonly metrics: Metrics;
  readonly publicRate: Rate;
  readonly staticRate: Rate;
  readonly addressOf: AddressReader;
}

interface Limit {
  readonly name: 'plan' | 'key';
  readonly bucket: string;
  readonly rate: Rate;
  readonly who: string;
}

function policyOf({ name, rate: { perSecond } }: Limit): string {
  return `"${name}";q=${Math.round(perSecond * WINDOW_S)};w=${WINDOW_S}`;
}

function standingOf({ name }: Limit, { remaining, growsInS }: RateStatus): string {
  return `"${name}";r=${remaining};t=${growsInS}`;
}

interface Limits {
  /** Key before plan: a call refused for its key takes nothing from other keys. */
  readonly each: readonly [Limit, ...Limit[]];
  readonly policy: string;
}

function limitsOf({ tenantId, plan, ownRate }: Grant, rateClass: RateClass): Limits {
  const ofPlan: Limit = { name: 'plan', bucket: `rate:{${tenantId}}:${rateClass}`, rate: plan, who: 'this plan' };
  if (ownRate === null) return { each: [ofPlan], policy: policyOf(ofPlan) };
  const bucket = `rate:{${tenantId}}:${ownRate.bucket}:${rateClass}`;
  const ofKey: Limit = { name: 'key', bucket, rate: ownRate, who: 'this key' };
  return { each: [ofKey, ofPlan], policy: `${policyOf(ofKey)}, ${policyOf(ofPlan)}` };
}

function headersOf({ each, policy }: Limits, standings: readonly RateStatus[]): readonly string[] {
  let reported = '';
  for (const [at, standing] of standings.entries()) reported += `${at === 0 ? '' : ', '}${standingOf(each[at] ?? each[0], standing)}`;
  return ['RateLimit-Policy', policy, 'RateLimit', reported];
}

export function createRequestLimits({ pace, metrics, publicRate, staticRate, addressOf }: RequestLimitsDeps): RequestLimits {
  const refused = new Counter({
    name: 'requests_rate_limited_total',
    help: 'Requests refused by a rate limit.',
    labelNames: ['class'],
    registers: [metrics.registry],
  });

  const known = new WeakMap<Grant, Map<RateClass, Limits>>();
  /** Calls counted only against their key so far. */
  const ahead = new WeakMap<IncomingMessage, RateStatus>();

  /** Separate buckets by class, so that heavy use cannot lock a tenant out of its account. */
  function limitsFor(grant: Grant, rateClass: RateClass): Limits {
    const ofGrant = known.get(grant);
    const found = ofGrant?.get(rateClass);
    if (found !== undefined) return found;
    const made = limitsOf(grant, rateClass);
    if (ofGrant === undefined) known.set(grant, new Map([[rateClass, made]]));
    else ofGrant.set(rateClass, made);
    return made;
  }

  function refusal(limit: Limit, standing: RateStatus): Problem {
    refused.inc({ class: limit.bucket.slice(limit.bucket.lastIndexOf(':') + 1) });
    const { perSecond, burst } = limit.rate;
    return new Problem(
      'rate_limited',
      `Too many calls: ${limit.who} allows ${Math.round(perSecond * WINDOW_S)} a minute with a burst of ${burst}. Nothing was charged.`,
      {
        headers: {
          'RateLimit-Policy': policyOf(limit),
          RateLimit: standingOf(limit, standing),
          'Retry-After': String(standing.growsInS),
        },
      },
    );
  }

  /** Counts nothing. */
  function knownRefusal(limits: readonly Limit[]): Problem | null {
    for (const limit of limits) {
      const standing = pace.refusedNow(limit.bucket, limit.rate);
      if (standing !== null) return refusal(limit, standing);
    }
    return null;
  }

  /** @throws {Problem} 429 at the limit */
  async function take(limit: Limit): Promise<RateStatus> {
    const standing = await pace.admit(limit.bucket, limit.rate);
    if (!standing.admitted) throw refusal(limit, standing);
    return standing;
  }

  async function takeAll(limits: Limits, req: IncomingMessage): Promise<readonly string[]> {
    const [first, ...others] = limits.each;
    const counted = ahead.get(req);
    if (others.length > 0) {
      const found = knownRefusal(counted === undefined ? limits.each : others);
      if (found !== null) throw found;
    }
    const standings = [counted ?? (await take(first))];
    for (const limit of others) standings.push(await take(limit));
    return headersOf(limits, standings);
  }

  function ofAddress(req: IncomingMessage, rateClass: RateClass, rate: Rate): Limit {
    return { name: 'plan', bucket: `rate:{a:${addressBlock(addressOf(req))}}:${rateClass}`, rate, who: 'this address' };
  }

  return {
    async admit({ rateClass }, grant, req) {
      if (grant !== null) return takeAll(limitsFor(grant, rateClass), req);
      await take(ofAddress(req, rateClass, rateClass === 'static' ? staticRate : publicRate));
      return [];
    },
    async admitFile(req) {
      await take(ofAddress(req, 'static', staticRate));
    },
    async countStray(req) {
      const { admitted, growsInS } = await pace.admit(`rate:{a:${addressBlock(addressOf(req))}}:stray`, staticRate);
      if (admitted) return;
      refused.inc({ class: 'stray' });
      throw new Problem(
        'rate_limited',
        `Too many calls from this address to unknown paths or without a credential: at most ` +
          `${Math.round(staticRate.perSecond * WINDOW_S)} a minute with a burst of ${staticRate.burst}.`,
        {
          headers: { Connection: 'close', 'Retry-After': String(growsInS) },
        },
      );
    },
    refuseNow: ({ rateClass }, grant) => knownRefusal(limitsFor(grant, rateClass).each),
    admitNow({ rateClass }, grant, req) {
      const limits = limitsFor(grant, rateClass);
      const standings: RateStatus[] = [];
      for (const limit of limits.each) {
        const standing = pace.admitNow(limit.bucket, limit.rate);
        if (standing === null || !standing.admitted) {
          if (standings[0] !== undefined) ahead.set(req, standings[0]);
          return null;
        }
        standings.push(standing);
      }
      return headersOf(limits, standings);
    },
  };
}

/** 0 admits everything, 1 refuses calls heavier than 4, 2 heavier than 1, 3 all except `latest` with a cached key. */
export type LoadLevel = 0 | 1 | 2 | 3;

/** Event-loop lag at which each level starts, in milliseconds. A level ends at half of it. */
const BEGINS_MS = [0, 200, 400, 800] as const;

const SAMPLE_EVERY_MS = 50;
/** Keeps a process paused for a minute from shedding load long after. */
const SAMPLE_MS_MAX = 5_000;
/** One slow turn of the loop is not lag, several in a row are. */
const SAMPLE_PART = 0.3;

export function smoothLag(lagMs: number, sampleMs: number): number {
  return lagMs + SAMPLE_PART * (Math.min(sampleMs, SAMPLE_MS_MAX) - lagMs);
}

/** Next level for the given lag, with hysteresis. */
export function nextLevel(level: LoadLevel, lagMs: number): LoadLevel {
  const started = BEGINS_MS.findLastIndex((beginsMs) => lagMs > beginsMs);
  if (started >= level) return Math.max(started, 0) as LoadLevel;
  return lagMs > BEGINS_MS[level] / 2 ? level : nextLevel((level - 1) as LoadLevel, lagMs);
}

interface EventLoopLag {
  level(): LoadLevel;
  close(): void;
}

export function watchEventLoop(metrics: Metrics): EventLoopLag {
  const gauge = new Gauge({
    name: 'event_loop_lag_milliseconds',
    help: 'Event-loop timer lag, smoothed over several turns of the loop.',
    registers: [metrics.registry],
  });
  const levels = new Gauge({
    name: 'load_level',
    help: 'Load shedding level for event-loop lag, from 0 (none) to 3 (all but latest).',
    registers: [metrics.registry],
  });
  let level: LoadLevel = 0;
  let lagMs = 0;
  let dueMs = performance.now() + SAMPLE_EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    lagMs = smoothLag(lagMs, Math.max(0, nowMs - dueMs));
    dueMs = nowMs + SAMPLE_EVERY_MS;
    level = nextLevel(level, lagMs);
    gauge.set(lagMs);
    levels.set(level);
  }, SAMPLE_EVERY_MS);
  timer.unref();
  return { level: () => level, close: () => clearInterval(timer) };
}

interface CallsInFlight {
  /**
   * Counts until the returned function is called. A call above the plan's limit is admitted only alone.
   * @throws {Problem} 429 `too_many_calls_at_once`
   */
  enter(grant: Grant, weight: number): () => void;
}

interface Held {
  calls: number;
  weight: number;
}

function createCallsInFlight(metrics: Metrics): CallsInFlight {
  const registers = [metrics.registry];
  let total = 0;
  new Gauge({
    name: 'calls_in_flight_weight',
    help: 'Weight of all calls in flight.',
    registers,
    collect() {
      this.set(total);
    },
  });
  const refused = new Counter({
    name: 'calls_in_flight_refused_total',
    help: 'Calls refused because their tenant had too much in flight.',
    labelNames: ['plan'],
    registers,
  });
  const byTenant = new Map<string, Held>();

  return {
    enter({ tenantId, plan }, weight) {
      const most = plan.limits.inFlightWeight;
      const held = byTenant.get(tenantId) ?? { calls: 0, weight: 0 };
      if (held.calls > 0 && held.weight + weight > most) {
        refused.inc({ plan: plan.planId });
        const sentence =
          `This call weighs ${weight} and your calls in flight weigh ${held.weight}; the plan allows ${most} ` +
          `in flight. Nothing was charged.`;
        throw new Problem('too_many_calls_at_once', sentence, {
          headers: { 'Retry-After': '1' },
          members: { weight, weight_in_flight: held.weight, weight_limit: most },
        });
      }
      byTenant.set(tenantId, held);
      held.calls += 1;
      held.weight += weight;
      total += weight;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        held.calls -= 1;
        held.weight -= weight;
        total -= weight;
        if (held.calls === 0) byTenant.delete(tenantId);
      };
    },
  };
}

const WEIGHT_MAX = [Number.POSITIVE_INFINITY, 4, 1, 0] as const satisfies Record<LoadLevel, number>;

const LAST = 'getLatest';

export interface CallLoad {
  /** @throws {Problem} 503 if only `latest` with a cached key is served */
  refuseEarly(operation: Operation, req: IncomingMessage): void;
  /**
   * Counts until the returned function is called.
   * @throws {Problem} 503 `overloaded` by weight, 429 `too_many_calls_at_once` by the tenant's other calls
   */
  enter(operation: Operation, input: Input, grant: Grant | null): () => void;
}

interface CallLoadDeps {
  readonly level: () => LoadLevel;
  readonly directory: Pick<CredentialDirectory, 'remembered'>;
  readonly symbolTotal: () => number;
  readonly metrics: Metrics;
}

function nothing(): void {}

function isWaiting({ waits }: Operation, { query }: Input): boolean {
  return waits !== null && Number(query[waits]) > 0;
}

/** An agent call makes calls of its own; counting both would let it block itself. */
function isHandedOn({ rateClass }: Operation): boolean {
  return rateClass === 'agent';
}

export function createCallLoad({ level, directory, symbolTotal, metrics }: CallLoadDeps): CallLoad {
  const refused = new Counter({
    name: 'calls_shed_total',
    help: 'Calls refused because the event loop lags.',
    labelNames: ['level'],
    registers: [metrics.registry],
  });
  const inFlight = createCallsInFlight(metrics);

  function refuse(): never {
    refused.inc({ level: level() });
    throw new Problem('overloaded', 'The service is overloaded and is refusing the most expensive calls first. Nothing was charged.', {
      headers: { 'Retry-After': '2' },
    });
  }

  return {
    refuseEarly({ operationId }, { headers, socket }) {
      if (level() < 3) return;
      const key = headers[API_KEY_HEADER];
      if (operationId !== LAST || typeof key !== 'string' || directory.remembered({ kind: 'key', secret: key }, socket) === null) refuse();
    },
    enter(operation, input, grant) {
      const weight = weightOfOperation(operation, input, symbolTotal());
      if (operation.operationId !== LAST && weight > WEIGHT_MAX[level()]) refuse();
      const isStream = (operation.price !== null && isPaidByMessages(operation.price)) || isWaiting(operation, input);
      return grant === null || isStream || isHandedOn(operation) ? nothing : inFlight.enter(grant, weight);
    },
  };
}

/** Calls of one tenant that wait for each other. */
const TENANT_WAITING = { waitingMax: 4, waitMsMax: 10_000 };

/** Runs work that competes with all other responses, one at a time for each tenant. Refuses with `too_many_calls_at_once`. */
export function createTenantLimit(work: string): KeyedConcurrencyLimit {
  const sentence = `Too many ${work} of this account are in progress. Nothing was charged.`;
  return createKeyedConcurrencyLimit(1, { ...TENANT_WAITING, refusal: () => resourceExhausted('too_many_calls_at_once', sentence) });
}
