import type { Suite } from '../harness';
import { runCharges } from './charge-run';

const KILLS = 30;

/** Charges calls while account and gateways are killed and connections are reset. */
export const creditSuite: Suite = {
  id: 'credits',
  claim:
    `${KILLS} kills of account and gateways and 2 % of connections reset leave a ledger that sums to zero, is never negative, and ` +
    `charges each posted call once`,
  budget: { default: 50_000, counts: 'metered calls' },
  short: { seed: 20_270_116, budget: 1_500 },
  run: (context) => runCharges(context, context.isShort ? { kills: 3, untilReleased: false } : { kills: KILLS, untilReleased: true }),
};
