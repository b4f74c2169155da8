import { prepareBundles } from '@market-state/testing';
import { type Suite, type SuiteResult, runSuite, untilInTime } from '../src';

interface ShortForm {
  /** PROOF_SEED replaces it. */
  readonly seed: number;
  readonly budget: number;
  readonly messages?: number;
  readonly only?: string;
  /** Whether what came too late fails it too; by default not, for a machine that has other work. */
  readonly inTime?: boolean;
  /** How often it is run, at most, each time by the next seed, while nothing but its times is at fault; default once. */
  readonly triesMax?: number;
}

// Proofs run bundles, and some choose times before they start one.
beforeAll(prepareBundles);

/** Runs a suite, or a part of one, in its short form; where it fails, its seed and what it said stand before the failures. */
export async function expectPassed(
  suite: Pick<Suite, 'run'>,
  { seed: usualSeed, inTime = false, triesMax = 1, ...settings }: ShortForm,
): Promise<SuiteResult & { readonly said: readonly string[] }> {
  const firstSeed = Number(process.env['PROOF_SEED'] ?? usualSeed);
  const { seed, said, ...result } = await untilInTime(triesMax, async (attempt) => {
    const said: string[] = [];
    const seed = firstSeed + attempt;
    const { failures, timing, figures } = await runSuite(suite, { ...settings, seed, say: (line) => said.push(line) });
    return { seed, said, failures, timing, figures };
  });
  const failures = [...result.failures, ...(inTime ? result.timing : [])];
  expect(failures.length === 0 ? [] : [`PROOF_SEED=${seed}`, ...said, ...failures]).toEqual([]);
  return { ...result, said };
}
