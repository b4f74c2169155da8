import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Proof } from '../proof';
import { proveSeed, type SeedResult } from './prove-seed';

/** Messages a seed unless told otherwise. */
const MESSAGES = 20_000;
/** What the heap may grow by from the third seed to the last, MiB: the log of a seed is not kept. */
const GROWTH_MIB_MAX = 32;
const WARM_SEEDS = 3;

/** The Hyperliquid adapter and normalizer against the simulated venue, which misbehaves at random. */
export const hyperliquidProof: Proof = {
  id: 'hyperliquid',
  claim: 'whatever the venue does, the final book is the true one, what is missing is in a gap, no crossed book is published, memory stays',
  budget: { default: 100, counts: 'seeds' },
  async run({ seed, budget, messages = MESSAGES, say }) {
    const failures: string[] = [];
    const results: SeedResult[] = [];
    const heaps: number[] = [];
    const startedMs = performance.now();
    for (let index = 0; index < budget; index++) {
      const result = await proveSeed(seed + index, messages);
      results.push(result);
      heaps.push(heapMib());
      const told = Object.entries(result.faults).map(([fault, count]) => `${fault} ${count}`);
      say(
        `seed ${seed + index}: ${result.messages} messages, ${told.join(', ')}; ${result.gaps} gaps, ${result.reconnections} ` +
          `reconnections, ${result.tradesLost} trades missing; heap ${heaps.at(-1)} MiB`,
      );
      for (const failure of result.failures)
        failures.push(`seed ${seed + index}: ${failure}. Again: --seed ${seed + index} --seeds 1 --messages ${messages}`);
    }
    const grown = budget > WARM_SEEDS ? (heaps.at(-1) ?? 0) - (heaps[WARM_SEEDS - 1] ?? 0) : 0;
    if (grown > GROWTH_MIB_MAX) failures.push(`The heap grew by ${grown} MiB from seed ${seed + WARM_SEEDS - 1} on.`);
    const total = (of: (result: SeedResult) => number): number => results.reduce((sum, result) => sum + of(result), 0);
    return {
      failures,
      timing: [],
      figures: [
        ['seeds', `${seed} to ${seed + budget - 1}`],
        ['messages', total((result) => result.messages)],
        ['faults', total((result) => Object.values(result.faults).reduce((sum, count) => sum + count, 0))],
        ['gaps told', total((result) => result.gaps)],
        ['reconnections', total((result) => result.reconnections)],
        ['books published', total((result) => result.books)],
        ['trades in the log', total((result) => result.trades)],
        ['trades missing, each in a gap', total((result) => result.tradesLost)],
        ['heap after each seed', `${Math.min(...heaps)} to ${Math.max(...heaps)} MiB, ${grown} MiB from the third to the last`],
        ['time', `${Math.round((performance.now() - startedMs) / 1_000)} s`],
      ],
    };
  },
};

/** After everything that can be let go was let go. */
function heapMib(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}
