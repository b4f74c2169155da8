import type { IncomingMessage } from 'node:http';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import type { Grant } from '../auth/grant';
import { Problem } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import type { AddressReader } from '../http/client-address';
import { addressBlock } from '../limits/address-block';
import type { Rate } from '../limits/gcra';
import type { Pace, Standing } from '../limits/pace';

/** Window that the policy is told for, seconds. */
const WINDOW_S = 60;

/** Who is told to have called too often, where it is by a key. */
const THIS_PLAN = 'this plan';

/** Calls to routes that need no key, by address. */
export const PUBLIC_RATE = { perMinute: 60, burst: 30 } as const;

/** Calls for the files of pages, by address. */
export const STATIC_RATE = { perMinute: 600, burst: 200 } as const;

/** How many calls a caller may make. */
export interface RequestLimits {
  /** Counts a call: headers of its answer, name and value in turns. Throws 429 when the limit is reached. */
  admit(operation: Operation, grant: Grant | null, req: IncomingMessage): Promise<readonly string[]>;
  /** Counts a call for a file or page that is no operation, by its address. Throws 429 beyond the rate of static files. */
  admitFile(req: IncomingMessage): Promise<void>;
  /**
   * Counts a call by its address that names no route, or comes to one without the credential it needs. Throws 429, and ends the connection,
   * beyond the rate of static files.
   */
  countStray(req: IncomingMessage): Promise<void>;
  /** Counts a metered call at once; null when that takes a call to the store, or the limit is reached. */
  admitNow(grant: Grant): readonly string[] | null;
  /** The 429 of a metered call beyond the limit, where that is known without a call to the store; else null. */
  refuseNow(grant: Grant): Problem | null;
}

export interface RequestLimitsDeps {
  readonly pace: Pace;
  readonly metrics: Metrics;
  /** Of routes without a key, by address. */
  readonly publicRate: Rate;
  /** Of static files, by address. */
  readonly staticRate: Rate;
  readonly addressOf: AddressReader;
}

function policyOf({ perSecond }: Rate): string {
  return `"plan";q=${Math.round(perSecond * WINDOW_S)};w=${WINDOW_S}`;
}

function headersOf(policy: string, { remaining, growsInS }: Standing): readonly string[] {
  return ['RateLimit-Policy', policy, 'RateLimit', `"plan";r=${remaining};t=${growsInS}`];
}

/** What the calls of a grant to metered routes have in common. */
interface Metered {
  readonly bucket: string;
  readonly policy: string;
}

export function createRequestLimits({ pace, metrics, publicRate, staticRate, addressOf }: RequestLimitsDeps): RequestLimits {
  const refused = new Counter({
    name: 'requests_rate_limited_total',
    help: 'Requests refused by a rate limit.',
    labelNames: ['class'],
    registers: [metrics.registry],
  });

  const metered = new WeakMap<Grant, Metered>();

  /** The classes of routes are metered ones and others, so that work does not lock a tenant out of its account. */
  function bucketOf(operation: Operation, grant: Grant | null, req: IncomingMessage): string {
    if (grant === null) return `rate:{a:${addressBlock(addressOf(req))}}:${operation.rateClass}`;
    return operation.rateClass === 'metered' ? meteredOf(grant).bucket : `rate:{${grant.tenantId}}:${operation.rateClass}`;
  }

  function meteredOf(grant: Grant): Metered {
    const known = metered.get(grant);
    if (known !== undefined) return known;
    const made = { bucket: `rate:{${grant.tenantId}}:metered`, policy: policyOf(grant.plan) };
    metered.set(grant, made);
    return made;
  }

  /** Counts a call in a bucket: the headers of its standing. Throws 429 when the limit is reached. */
  async function take(bucket: string, rate: Rate, who: string): Promise<readonly string[]> {
    const standing = await pace.admit(bucket, rate);
    if (!standing.admitted) throw refusal(bucket, rate, standing, who);
    return headersOf(policyOf(rate), standing);
  }

  /** The 429 of a call, which it counts. */
  function refusal(bucket: string, rate: Rate, standing: Standing, who: string): Problem {
    refused.inc({ class: bucket.slice(bucket.lastIndexOf(':') + 1) });
    const [policyName = '', policy = '', limitName = '', limit = ''] = headersOf(policyOf(rate), standing);
    return new Problem(
      'rate_limited',
      `Too many calls: ${who} may make ${Math.round(rate.perSecond * WINDOW_S)} a minute, ${rate.burst} at once. Nothing was charged.`,
      { headers: { [policyName]: policy, [limitName]: limit, 'Retry-After': String(standing.growsInS) } },
    );
  }

  return {
    async admit(operation, grant, req) {
      const rate = grant !== null ? grant.plan : operation.rateClass === 'static' ? staticRate : publicRate;
      const headers = await take(bucketOf(operation, grant, req), rate, grant === null ? 'this address' : THIS_PLAN);
      return grant === null ? [] : headers;
    },
    async admitFile(req) {
      await take(`rate:{a:${addressBlock(addressOf(req))}}:static`, staticRate, 'this address');
    },
    async countStray(req) {
      const { admitted, growsInS } = await pace.admit(`rate:{a:${addressBlock(addressOf(req))}}:stray`, staticRate);
      if (admitted) return;
      refused.inc({ class: 'stray' });
      throw new Problem(
        'rate_limited',
        `Too many calls from this address to unknown paths, or without a credential: at most ` +
          `${Math.round(staticRate.perSecond * WINDOW_S)} a minute, ${staticRate.burst} at once.`,
        {
          headers: { Connection: 'close', 'Retry-After': String(growsInS) },
        },
      );
    },
    refuseNow(grant) {
      const { bucket } = meteredOf(grant);
      const standing = pace.refusedNow(bucket, grant.plan);
      return standing === null ? null : refusal(bucket, grant.plan, standing, THIS_PLAN);
    },
    admitNow(grant) {
      const { bucket, policy } = meteredOf(grant);
      const standing = pace.admitNow(bucket, grant.plan);
      return standing === null || !standing.admitted ? null : headersOf(policy, standing);
    },
  };
}
