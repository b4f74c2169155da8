import type { Metrics } from '@market-state/telemetry';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { Problem } from '../errors/problem';
import { addressBlock } from '../http/request-lifetime';
import { atMost, type Pace, type Rate } from './pace';

export const REFUSED_RATE = { perMinute: 60, burst: 30 } as const;

const ADDRESSES_MAX = 20_000;

/** Counts per sending address (IPv6: /64). Accepted credentials never count. */
export interface RefusedCredentials {
  /** @throws {Problem} 429 while the address is over its limit */
  refuseWhileOver(address: string): void;
  /** @throws {Problem} 429 if this puts the address over its limit */
  count(address: string): Promise<void>;
}

export interface RefusedCredentialsDeps {
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
