import { withMarket } from '../edge/market';
import type { Proof, ProofResult } from '../proof';
import { createRandom } from '../random';
import { attacks, runAttacks } from './run-attacks';
import { LONG_SIZES } from './sizes';

/** `npm run prove -- edge`; `--only <attack>` runs one of them. */
export const attackProof: Proof = {
  id: 'edge',
  claim: `nobody with one free key, or with none, stalls the gateway or starves others: ${attacks.map(({ id }) => id).join(', ')}`,
  budget: { default: 1, counts: 'rounds of every attack, each on a system of its own' },
  async run({ seed, budget, only, say }) {
    const rounds: ProofResult[] = [];
    for (let round = 0; round < budget; round += 1) {
      const parts = { sizes: LONG_SIZES, seed: seed + round, random: createRandom(seed + round), only, say };
      rounds.push(await withMarket((market) => runAttacks(market, parts), { withHistory: true }));
    }
    return {
      failures: rounds.flatMap(({ failures }) => failures),
      timing: rounds.flatMap(({ timing }) => timing),
      figures: rounds.flatMap(({ figures }) => figures),
    };
  },
};
