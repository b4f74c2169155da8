import { sumOf } from '@market-state/testing';
import { heldMib, type Suite } from '../harness';
import { verifySeed, type SeedResult } from './verify-seed';

/** Messages a seed unless told otherwise. */
const MESSAGES = 20_000;
/** What the memory may grow by from the third seed to the last, MiB: the log of a seed is not kept. */
const GROWTH_MIB_MAX = 32;
const WARM_SEEDS = 3;
/** On average. */
const FAULTS_A_SEED_MIN = 2;

/** The Hyperliquid adapter and normalizer against the simulated venue, which misbehaves at random. */
export const hyperliquidSuite: Suite = {
  id: 'hyperliquid',
  claim: 'whatever the venue does, the final book is the true one, what is missing is in a gap, no crossed book is published, memory stays',
  budget: { default: 100, counts: 'seeds' },
  short: { seed: 20_260_105, budget: 3, messages: 3_000 },
  async run({ report, seed, budget, messages = MESSAGES, say }) {
    const results: SeedResult[] = [];
    const heldMibs: number[] = [];
    const startedMs = performance.now();
    for (let index = 0; index < budget; index++) {
      const result = await verifySeed(seed + index, messages);
      results.push(result);
      heldMibs.push(heldMib());
      const told = Object.entries(result.faults).map(([fault, count]) => `${fault} ${count}`);
      say(
        `seed ${seed + index}: ${result.messages} messages, ${told.join(', ')}; ${result.gaps} gaps, ${result.reconnections} ` +
          `reconnections, ${result.tradesLost} trades missing; ${heldMibs.at(-1)} MiB held`,
      );
      for (const failure of result.failures)
        report.fail(`seed ${seed + index}: ${failure}. Again: --seed ${seed + index} --seeds 1 --messages ${messages}`);
    }
    const grown = budget > WARM_SEEDS ? (heldMibs.at(-1) ?? 0) - (heldMibs[WARM_SEEDS - 1] ?? 0) : 0;
    report.check(grown <= GROWTH_MIB_MAX, `The memory held grew by ${grown} MiB from seed ${seed + WARM_SEEDS - 1} on.`);
    const total = (of: (result: SeedResult) => number): number => sumOf(results.map(of));
    report.check(total(({ messages: sent }) => sent) >= budget * messages, 'Not every message was sent.');
    report.check(total(({ faults }) => sumOf(Object.values(faults))) >= FAULTS_A_SEED_MIN * budget, 'The venue hardly misbehaved.');
    report.check(total(({ gaps }) => gaps) > 0, 'No gap was reported.');
    report.figure('seeds', `${seed} to ${seed + budget - 1}`);
    report.figure(
      'messages',
      total(({ messages: sent }) => sent),
    );
    report.figure(
      'faults',
      total(({ faults }) => sumOf(Object.values(faults))),
    );
    report.figure(
      'gaps told',
      total(({ gaps }) => gaps),
    );
    report.figure(
      'reconnections',
      total(({ reconnections }) => reconnections),
    );
    report.figure(
      'books published',
      total(({ books }) => books),
    );
    report.figure(
      'trades in the log',
      total(({ trades }) => trades),
    );
    report.figure(
      'trades missing, each in a gap',
      total(({ tradesLost }) => tradesLost),
    );
    report.figure(
      'memory held after each seed',
      `${Math.min(...heldMibs)} to ${Math.max(...heldMibs)} MiB, ${grown} MiB from the third to the last`,
    );
    report.figure('time', `${Math.round((performance.now() - startedMs) / 1_000)} s`);
  },
};
