import { runCharges } from '../src/credits/charge-run';
import { expectProved } from './expect-proved';

it('charges each posted call once and no other while account and gateways die and connections break', async () => {
  const short = { kills: 3, untilReleased: false };
  await expectProved({ run: (context) => runCharges(context, short) }, { seed: 20_270_116, budget: 1_500 });
});
