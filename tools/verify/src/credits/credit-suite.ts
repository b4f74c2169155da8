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
  run: (context) => runCharges(context, { kills: KILLS, untilReleased: true }),
};
