import type { Market } from '../edge/market';
import { type SuiteContext, type SuiteResult, runSuite, untilInTime } from '../harness';
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
  /** How often an attack is made, at most, while nothing but its times is at fault; default once. */
  readonly triesMax?: number;
}

/** Attacks a gateway in one way after another, then compares the ledger with what others were answered. */
export async function runAttacks(context: SuiteContext, market: Market, { sizes, triesMax = 1 }: AttackRun): Promise<void> {
  const { report, only, say } = context;
  const chosen = attacks.filter(({ id }) => only === undefined || id === only);
  if (chosen.length === 0) throw new Error(`There is no attack "${only}"; there are ${attacks.map(({ id }) => id).join(', ')}.`);
  const scene = await openScene(context, market, sizes);

  const attempt = (attack: Attack): Promise<SuiteResult> =>
    runSuite({ run: (own) => attack.run(scene, own) }, context).catch(
      (error: Error): SuiteResult => ({ failures: [`${attack.id}: ${error.message}`], timing: [], figures: [] }),
    );

  for (const attack of chosen) {
    const startMs = performance.now();
    const result = await untilInTime(triesMax, () => attempt(attack));
    report.add(result);
    say(
      `${attack.id}: ${result.failures.length + result.timing.length} failed, after ${Math.round((performance.now() - startMs) / 1_000)} s`,
    );
  }
  await judgeCredits(scene, report);
}
