import { createCloser } from '@market-state/lifecycle';
import { findChromium } from '@market-state/testing';
import { runAttacks } from '../src/attacks/run-attacks';
import { SHORT_SIZES } from '../src/attacks/sizes';
import { postEqually } from '../src/edge/equal-posts';
import { callBeyondLimits } from '../src/edge/limit-calls';
import { type Market, openMarket } from '../src/edge/market';
import { callMetered } from '../src/edge/metered-calls';
import { revokeKeys } from '../src/edge/revoke-keys';
import { verifySdk } from '../src/sdk/sdk-suite';
import { expectPassed } from './expect-passed';

const seed = 20_271_122;
const closer = createCloser();
let market: Market;

beforeAll(async () => {
  market = await openMarket(closer);
});
afterAll(() => closer.close());

it('shuts a key that is revoked under load within a second at each gateway, for good', async () => {
  await expectPassed({ run: (context) => revokeKeys(context, market) }, { seed, budget: 6, inTime: true, triesMax: 3 });
});

it('charges each answered call once while gateways and account die and connections break', async () => {
  const short = { kills: 3, untilReleased: false };
  await expectPassed({ run: (context) => callMetered(context, market, short) }, { seed, budget: 800 });
});

it('makes one key and one order of many equal calls each, sent to two gateways at once', async () => {
  const { figures } = await expectPassed({ run: (context) => postEqually(context, market) }, { seed, budget: 40 });
  expect(figures).toHaveLength(4);
});

it('lets in over three gateways what a plan allows and no more', async () => {
  // What gateways take ahead of the burst and do not use weighs ten times as much as in the long form.
  const short = { plans: ['public_pro'], shareMin: 0.9 } as const;
  await expectPassed({ run: (context) => callBeyondLimits(context, market, short) }, { seed, budget: 8, inTime: true, triesMax: 3 });
});

it('gives each call of the SDK an answer or a reason through faults, charges as receipts say, and loses nothing of a cut stream', async () => {
  const { figures } = await expectPassed({ run: (context) => verifySdk(context, market) }, { seed, budget: 100, only: 'node' });
  expect(figures).toHaveLength(5);
});

/** Counted as skipped where there is no Chromium on the machine. */
it.skipIf(findChromium() === null)('gives each call of the SDK in Chromium an answer or a reason, as in Node', async () => {
  const { figures } = await expectPassed({ run: (context) => verifySdk(context, market) }, { seed, budget: 100, only: 'chromium' });
  expect(figures).toHaveLength(5);
});

it('serves others through every attack, and charges them exactly', async () => {
  const short = { sizes: SHORT_SIZES, triesMax: 3 };
  await expectPassed({ run: (context) => runAttacks(context, market, short) }, { seed, budget: 1, inTime: true });
});
