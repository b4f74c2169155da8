import type { Suite } from '../harness';
import { postEqually } from './equal-posts';
import { callBeyondLimits, type LimitSettings } from './limit-calls';
import { openMarket } from './market';
import { callMetered } from './metered-calls';
import { revokeKeys } from './revoke-keys';

const KILLS = 30;
const LIMITS: LimitSettings = { plans: ['public_builder', 'public_pro', 'public_research'], shareMin: 0.99 };
/** What gateways take ahead of the burst and do not use weighs ten times as much as in the long form. */
const SHORT_LIMITS: LimitSettings = { plans: ['public_pro'], shareMin: 0.9 };

export const revocationSuite: Suite = {
  id: 'revocations',
  claim: 'a key that is revoked while two gateways are under load opens neither of them a second later, nor ever again',
  budget: { default: 100, counts: 'revocations' },
  short: { seed: 20_271_122, budget: 6, inTime: true, triesMax: 3 },
  run: async (context) => revokeKeys(context, await openMarket(context.closer)),
};

export const meteringSuite: Suite = {
  id: 'metering',
  claim:
    `${KILLS} kills of gateways and account and 2 % of connections reset leave each answered call charged once at the price it ` +
    `told, but for what a killed gateway may forget`,
  budget: { default: 50_000, counts: 'metered calls over HTTP' },
  short: { seed: 20_271_122, budget: 800 },
  async run(context) {
    const form = context.isShort ? { kills: 3, untilReleased: false } : { kills: KILLS, untilReleased: true };
    await callMetered(context, await openMarket(context.closer), form);
  },
};

export const repeatSuite: Suite = {
  id: 'repeats',
  claim: 'equal calls with one Idempotency-Key, sent to two gateways at once, make one key and one order, and all get the same answer',
  budget: { default: 200, counts: 'equal calls of each kind' },
  short: { seed: 20_271_122, budget: 40 },
  run: async (context) => postEqually(context, await openMarket(context.closer)),
};

export const limitSuite: Suite = {
  id: 'limits',
  claim:
    'three gateways called at twice the limit of a plan let in what the plan allows, hardly less and nothing more, and ' +
    'answer the rest with 429',
  budget: { default: 60, counts: 'seconds of calls of three plans' },
  short: { seed: 20_271_122, budget: 8, inTime: true, triesMax: 3 },
  run: async (context) => callBeyondLimits(context, await openMarket(context.closer), context.isShort ? SHORT_LIMITS : LIMITS),
};
