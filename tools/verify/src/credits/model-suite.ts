import { atOnce, openPrivateStores } from '@market-state/testing';
import type { Suite } from '../harness';
import { hostCredits } from './credit-host';
import { runModel } from './model-run';

const STEPS = 200;
const AT_ONCE = 6;
const FAILURES_MAX = 5;

/** Plays random work on credits against the service and against a model that keeps each credit apart. */
export const creditModelSuite: Suite = {
  id: 'credit-model',
  claim:
    `after each of ${STEPS} random steps the ledger equals a model that keeps every credit apart, sums to zero and ` +
    `holds nothing past its time`,
  budget: { default: 1_000, counts: 'runs' },
  short: { seed: 20_270_115, budget: 2 },
  async run({ closer, report, seed, budget, say }) {
    const url = (await openPrivateStores(closer, 'account')).postgresUrl('account');
    let next = 0;
    await atOnce(Math.min(AT_ONCE, budget), async () => {
      const host = hostCredits(closer, url, 0);
      while (next < budget && report.failures.length < FAILURES_MAX) {
        const run = (next += 1);
        await runModel(host, seed + run, STEPS).catch((error: Error) => report.fail(error.message));
        if (run % 50 === 0) say(`run ${run} of ${budget}`);
      }
    });
    report.figure('runs', next);
    report.figure('steps', next * STEPS);
  },
};
