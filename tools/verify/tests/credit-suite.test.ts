import { runCharges } from '../src/credits/charge-run';
import { expectPassed } from './expect-passed';

it('charges each posted call once and no other while account and gateways die and connections break', async () => {
  const short = { kills: 3, untilReleased: false };
  await expectPassed({ run: (context) => runCharges(context, short) }, { seed: 20_270_116, budget: 1_500 });
});
