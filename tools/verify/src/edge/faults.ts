import { setTimeout as delay } from 'node:timers/promises';
import type { Wire } from '@market-state/testing';
import { auditLedger, type SuiteContext, spreadKills } from '../harness';
import type { Edge } from './edge';

export interface Death {
  readonly gateway: number;
  readonly life: number;
  /** Time of `performance.now()`. */
  readonly atMs: number;
  /** True if it had reached account without trouble for long enough that only its last batch could be unposted. */
  readonly isCalm: boolean;
}

export interface Faults {
  onCall(servedTotal: number): void;
  lifeOf(gateway: number): number;
  deaths(): readonly Death[];
  /** True after the last kill. @throws the error of a failed kill */
  isDone(): boolean;
}

/** Longer than a batch takes with all retries once faults stop. */
const CALM_MS = 3_000;
const CALM_EVERY = 3;

/** Half of the kills hit account, half gateways; the ledger's invariants must hold after each. */
export function createFaults(
  { budget: calls, random, report, say }: SuiteContext,
  { gateways, account, pool, ready }: Edge,
  wires: readonly Wire[],
  total: number,
): Faults {
  const kills = spreadKills(total, calls, random);
  const lives = gateways.map(() => 0);
  const deaths: Death[] = [];
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
    say(`kill ${number} of ${total}: ${isAccount ? 'account' : 'a gateway'}, after ${servedTotal} calls`);
    if (isAccount) await account.killAndRestart();
    else await killGateway(number / 2);
    const { faults } = await auditLedger(pool);
    report.fail(...faults.map((fault) => `After kill ${number}, ${fault}`));
  }

  return {
    onCall(servedTotal) {
      for (const number of kills.due(servedTotal)) {
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
    isDone() {
      if (failed !== undefined) throw failed.error;
      return done === total;
    },
  };
}
