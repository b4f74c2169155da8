import type { Market } from '../edge/market';
import type { ProofResult } from '../proof';
import { allStreams } from './all-streams';
import type { Attack } from './attack';
import { expensiveReads } from './expensive-reads';
import { judgeCredits } from './judge-credits';
import { junkKeys } from './junk-keys';
import { largeBodies } from './large-bodies';
import { overload } from './overload';
import { openScene, type Scene } from './scene';
import { silentPeers } from './silent-peers';
import { smallDoors } from './small-doors';

/** In the order that they run in. */
export const attacks: readonly Attack[] = [smallDoors, largeBodies, junkKeys, silentPeers, expensiveReads, allStreams, overload];

export interface AttackRun extends Pick<Scene, 'sizes' | 'seed' | 'random' | 'say'> {
  /** One attack alone; all by default. */
  readonly only?: string;
  /**
   * How often an attack is made, at most, while nothing but its times is at fault; default once. On a machine that has other work a pause
   * may be that of the machine; a pause that the attack causes comes every time.
   */
  readonly triesMax?: number;
}

/** Attacks a gateway in one way after another, then compares the ledger with what others were answered. */
export async function runAttacks(market: Market, { only, triesMax = 1, ...parts }: AttackRun): Promise<ProofResult> {
  const chosen = attacks.filter(({ id }) => only === undefined || id === only);
  if (chosen.length === 0) throw new Error(`There is no attack "${only}"; there are ${attacks.map(({ id }) => id).join(', ')}.`);
  const scene = await openScene(market, parts);
  try {
    const results: ProofResult[] = [];
    for (const attack of chosen) {
      const startMs = performance.now();
      const result = await attempt(attack, scene, triesMax);
      results.push(result);
      parts.say(
        `${attack.id}: ${result.failures.length + result.timing.length} failed, after ` +
          `${Math.round((performance.now() - startMs) / 1_000)} s`,
      );
    }
    results.push(await judgeCredits(scene));
    return {
      failures: results.flatMap(({ failures }) => failures),
      timing: results.flatMap(({ timing }) => timing),
      figures: results.flatMap(({ figures }) => figures),
    };
  } finally {
    await scene.close();
  }
}

async function attempt(attack: Attack, scene: Scene, triesLeft: number): Promise<ProofResult> {
  const result = await attack
    .run(scene)
    .catch((error: Error): ProofResult => ({ failures: [`${attack.id}: ${error.message}`], timing: [], figures: [] }));
  return triesLeft > 1 && result.failures.length === 0 && result.timing.length > 0 ? attempt(attack, scene, triesLeft - 1) : result;
}
