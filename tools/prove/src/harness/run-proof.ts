import { type Closer, createCloser } from '@market-state/lifecycle';
import type { Proof, ProofSettings } from './proof';
import { createRandom } from './random';
import { type ProofResult, Report } from './report';

/** Runs a proof, or a part of one, and closes what it opened, however it ends. @throws what kept it from a result */
export function runProof({ run }: Pick<Proof, 'run'>, settings: ProofSettings): Promise<ProofResult> {
  return withCloser(async (closer) => {
    const report = new Report();
    await run({ ...settings, random: createRandom(settings.seed), closer, report });
    return report;
  });
}

/** The work's result, once all that it opened is closed: for a part whose systems end before the next part begins. */
export async function withCloser<T>(work: (closer: Closer) => Promise<T>): Promise<T> {
  const closer = createCloser();
  try {
    return await work(closer);
  } finally {
    await closer.close();
  }
}
