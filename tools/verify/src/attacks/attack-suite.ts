import { openMarket } from '../edge/market';
import { type Suite, type SuiteContext, runSuite } from '../harness';
import { attacks, runAttacks } from './run-attacks';
import { LONG_SIZES, SHORT_SIZES } from './sizes';

/** `npm run verify -- edge`; `--only <attack>` runs one of them. */
export const attackSuite: Suite = {
  id: 'edge',
  claim: `nobody with one free key, or with none, stalls the gateway or starves others: ${attacks.map(({ id }) => id).join(', ')}`,
  budget: { default: 1, counts: 'rounds of every attack, each on a system of its own' },
  short: { seed: 20_271_122, budget: 1, inTime: true },
  async run({ report, seed, budget, isShort, only, say }) {
    for (let round = 0; round < budget; round += 1)
      report.add(await runSuite({ run: attackOneMarket }, { seed: seed + round, budget: 1, isShort, only, say }));
  },
};

async function attackOneMarket(context: SuiteContext): Promise<void> {
  const { closer, isShort } = context;
  const market = await openMarket(closer, { withHistory: !isShort });
  await runAttacks(context, market, isShort ? { sizes: SHORT_SIZES, triesMax: 3 } : { sizes: LONG_SIZES });
}
