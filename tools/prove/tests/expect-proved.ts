import { prepareBundles } from '@market-state/testing';
import { type Proof, type ProofResult, runProof } from '../src';

interface ShortForm {
  /** PROOF_SEED replaces it. */
  readonly seed: number;
  readonly budget: number;
  readonly messages?: number;
  readonly only?: string;
  /** Whether what came too late fails it too; by default not, for a machine that has other work. */
  readonly inTime?: boolean;
}

// Proofs run bundles, and some choose times before they start one.
beforeAll(prepareBundles);

/** Runs a proof, or a part of one, in its short form; where it fails, its seed and what it said stand before the failures. */
export async function expectProved(
  proof: Pick<Proof, 'run'>,
  { seed: usualSeed, inTime = false, ...settings }: ShortForm,
): Promise<ProofResult & { readonly said: readonly string[] }> {
  const seed = Number(process.env['PROOF_SEED'] ?? usualSeed);
  const said: string[] = [];
  const result = await runProof(proof, { ...settings, seed, say: (line) => said.push(line) });
  const failures = [...result.failures, ...(inTime ? result.timing : [])];
  expect(failures.length === 0 ? [] : [`PROOF_SEED=${seed}`, ...said, ...failures]).toEqual([]);
  return { ...result, said };
}
