import type { Market } from '../edge/market';
import { type ProofContext, type ProofResult, runProof } from '../harness';
import { allStreams } from './all-streams';
import type { Attack } from './attack';
import { expensiveReads } from './expensive-reads';
import { judgeCredits } from './judge-credits';
import { junkKeys } from './junk-keys';
import { largeBodies } from './large-bodies';
import { overload } from './overload';
import { openScene } from './scene';
import { silentPeers } from './silent-peers';
import type { AttackSizes } from './sizes';
import { smallDoors } from './small-doors';

/** In the order that they run in. */
export const attacks: readonly Attack[] = [smallDoors, largeBodies, junkKeys, silentPeers, expensiveReads, allStreams, overload];

export interface AttackRun {
  readonly sizes: AttackSizes;
  /**
   * How often an attack is made, at most, while nothing but its times is at fault; default once. On a machine that has other work a pause
   * may be that of the machine; a pause that the attack causes comes every time.
   */
  readonly triesMax?: number;
}

/** Attacks a gateway in one way after another, then compares the ledger with what others were answered. */
export async function runAttacks(context: ProofContext, market: Market, { sizes, triesMax = 1 }: AttackRun): Promise<void> {
  const { report, only, say } = context;
  const chosen = attacks.filter(({ id }) => only === undefined || id === only);
  if (chosen.length === 0) throw new Error(`There is no attack "${only}"; there are ${attacks.map(({ id }) => id).join(', ')}.`);
  const scene = await openScene(context, market, sizes);

  async function attempt(attack: Attack, triesLeft: number): Promise<ProofResult> {
    const result = await runProof({ run: (own) => attack.run(scene, own) }, context).catch(
      (error: Error): ProofResult => ({ failures: [`${attack.id}: ${error.message}`], timing: [], figures: [] }),
    );
    return triesLeft > 1 && result.failures.length === 0 && result.timing.length > 0 ? attempt(attack, triesLeft - 1) : result;
  }

  for (const attack of chosen) {
    const startMs = performance.now();
    const result = await attempt(attack, triesMax);
    report.add(result);
    say(
      `${attack.id}: ${result.failures.length + result.timing.length} failed, after ${Math.round((performance.now() - startMs) / 1_000)} s`,
    );
  }
  await judgeCredits(scene, report);
}
