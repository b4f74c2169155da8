import type { IncomingMessage } from 'node:http';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import type { Grant } from '../auth/grant';
import { Problem } from '../errors/problem';
import { addressBlock, type AddressReader } from '../http/request-lifetime';
import type { Pace, Rate, RateStatus } from '../limits/pace';
import type { RateClass } from '../openapi/document';
import type { Operation } from '../openapi/operations';

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
