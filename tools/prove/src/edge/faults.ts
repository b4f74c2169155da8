import { setTimeout as delay } from 'node:timers/promises';
import { ledgerAudit } from '@market-state/account';
import type { ResetProxy } from '../credits/reset-proxy';
import type { Edge } from './edge';
import type { MeteredSettings } from './metered-settings';

/** A gateway that was killed. */
export interface Death {
  readonly gateway: number;
  /** How often it had been killed before. */
  readonly life: number;
  /** By `performance.now()`. */
  readonly atMs: number;
  /** Whether it had reached account without any trouble for long enough that only its last batch could be unposted. */
  readonly isCalm: boolean;
}

/** Kills, one after the other, as calls are served. */
export interface Faults {
  /** Told how many calls were served. */
  onCall(servedTotal: number): void;
  /** How often the gateway was killed so far. */
  lifeOf(gateway: number): number;
  deaths(): readonly Death[];
  /** What was wrong with the ledger while the processes died. */
  failures(): readonly string[];
  /** Whether every kill is done. @throws what went wrong with one */
  isDone(): boolean;
}

/** Longer than a batch takes with all its tries once nothing breaks any more. */
const CALM_MS = 3_000;
/** Of so many kills of gateways one is in calm. */
const CALM_EVERY = 3;

export function createFaults(
  { gateways, account, pool, ready }: Edge,
  wires: readonly ResetProxy[],
  { calls, kills, random, say }: MeteredSettings,
): Faults {
  const killAt = Array.from({ length: kills }, () => Math.floor(random() * calls)).sort((one, other) => one - other);
  const lives = gateways.map(() => 0);
  const deaths: Death[] = [];
  const failures: string[] = [];
  let started = 0;
  let done = 0;
  let queue: Promise<void> = Promise.resolve();
  let failed: { readonly error: unknown } | undefined;

  async function killGateway(number: number): Promise<void> {
    const isCalm = number % CALM_EVERY === 0;
    if (isCalm) {
      for (const wire of wires) wire.calm();
      await ready();
      await delay(CALM_MS);
    }
    const gateway = Math.floor(random() * gateways.length);
    const life = lives[gateway] ?? 0;
    const dying = gateways[gateway]?.process.killAndRestart();
    deaths.push({ gateway, life, atMs: performance.now(), isCalm });
    lives[gateway] = life + 1;
    await dying;
    for (const wire of wires) wire.stir();
  }

  async function kill(number: number, servedTotal: number): Promise<void> {
    const isAccount = number % 2 === 1;
    say(`kill ${number} of ${kills}: ${isAccount ? 'account' : 'a gateway'}, after ${servedTotal} calls`);
    if (isAccount) await account.killAndRestart();
    else await killGateway(number / 2);
    const { faults } = await ledgerAudit(pool, Date.now());
    failures.push(...faults.map(({ tenantId, message }) => `After kill ${number}, ${tenantId}: ${message}`));
  }

  return {
    onCall(servedTotal) {
      while (started < kills && servedTotal > (killAt[started] ?? 0)) {
        started += 1;
        const number = started;
        queue = queue
          .then(() => kill(number, servedTotal))
          .then(
            () => void (done += 1),
            (error: unknown) => void (failed ??= { error }),
          );
      }
    },
    lifeOf: (gateway) => lives[gateway] ?? 0,
    deaths: () => deaths,
    failures: () => failures,
    isDone() {
      if (failed !== undefined) throw failed.error;
      return done === kills;
    },
  };
}
