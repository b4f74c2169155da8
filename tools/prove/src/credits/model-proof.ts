import { migrate, startStores } from '@market-state/launcher';
import type { Proof } from '../proof';
import { hostCredits } from './credit-host';
import { runModel } from './model-run';

const STEPS = 200;
const AT_ONCE = 6;
const FAILURES_MAX = 5;

/** Plays random work on credits against the service and against a model that keeps each credit apart. */
export const creditModelProof: Proof = {
  id: 'credit-model',
  claim:
    `after each of ${STEPS} random steps the ledger equals a model that keeps every credit apart, sums to zero and ` +
    `holds nothing past its time`,
  budget: { default: 1_000, counts: 'runs' },
  async run({ seed, budget, say }) {
    const stores = await startStores();
    const failures: string[] = [];
    let next = 0;
    try {
      const url = stores.postgresUrl('account');
      await migrate(stores.migrationTargets(['account']));
      const work = async (): Promise<void> => {
        const host = hostCredits(url, 0);
        while (next < budget && failures.length < FAILURES_MAX) {
          const run = (next += 1);
          await runModel(host, seed + run, STEPS).catch((error: Error) => failures.push(error.message));
          if (run % 50 === 0) say(`run ${run} of ${budget}`);
        }
        await host.close();
      };
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, budget) }, work));
    } finally {
      await stores.stop();
    }
    return {
      failures,
      timing: [],
      figures: [
        ['runs', next],
        ['steps', next * STEPS],
      ],
    };
  },
};
