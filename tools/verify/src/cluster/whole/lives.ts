import type { Death } from '../../edge/faults';
import type { GatewayLives } from '../steady-reads';

/** The gateways that were killed. */
export interface Lives extends GatewayLives {
  /** @param atMs time of `performance.now()` */
  die(gateway: number, atMs: number): void;
  deaths(): readonly Death[];
}

export function createLives(): Lives {
  const deaths: Death[] = [];
  const lifeOf = (gateway: number): number => deaths.filter((death) => death.gateway === gateway).length;
  return {
    lifeOf,
    lastKilled: () => deaths.at(-1)?.gateway ?? 0,
    // Everything else was well before: only its last batch can be unposted.
    die: (gateway, atMs) => void deaths.push({ gateway, life: lifeOf(gateway), atMs, isCalm: true }),
    deaths: () => deaths,
  };
}
