import type { Metrics } from '@market-state/telemetry';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { atMost } from './at-most';
import { Problem } from '../errors/problem';
import { addressBlock } from '../http/client-address';
import type { Rate } from './buckets';
import type { Pace } from './pace';

/** Credentials of one address that may be refused before its calls are. */
export const REFUSED_RATE = { perMinute: 60, burst: 30 } as const;

/** Addresses over their limit that are remembered at once. */
const ADDRESSES_MAX = 20_000;

/** Counts credentials that opened nothing, by the address that sent them (IPv6 by /64). Good ones never count. */
export interface RefusedCredentials {
  /** Throws 429 while the address is over its limit. Asks nobody. */
  refuseWhileOver(address: string): void;
  /** Counts one. Throws 429 when the address is over its limit by it. */
  count(address: string): Promise<void>;
}

export interface RefusedCredentialsDeps {
  /** Of these alone: other callers must not be forgotten for them. */
  readonly pace: Pace;
  readonly rate: Rate;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export function createRefusedCredentials({ pace, rate, metrics, monotonicMs }: RefusedCredentialsDeps): RefusedCredentials {
  const refused = new Counter({
    name: 'credentials_rate_limited_total',
    help: 'Calls refused because too many credentials of their address were.',
    registers: [metrics.registry],
  });
  const overUntilMs = new LRUCache<string, number>(atMost(ADDRESSES_MAX));

  function refuse(waitS: number): never {
    refused.inc();
    const sentence =
      `More credentials of this address were refused than may be: ${Math.round(rate.perSecond * 60)} a minute, ` +
      `${rate.burst} at once. Nothing was charged.`;
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
