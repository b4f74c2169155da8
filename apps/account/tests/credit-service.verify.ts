import { type CreditCalls, testCredits } from './credit-calls';
import { chargeByGateways, type CreditsUnderTest } from './credits-under-test';

let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let balanceOf: CreditCalls['balanceOf'];

testCredits((service, calls) => {
  under = service;
  ({ call, balanceOf } = calls);
});

test('concurrent gateways over many connections never spend more than there is', async () => {
  const tenantId = await under.tenantWith(500);
  await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 300 } });
  const total = await chargeByGateways(call, tenantId, { gateways: 8, rounds: 15 });
  expect(total).toBe(300);
  expect(await balanceOf(tenantId)).toEqual({ available: 200, held: 0, leasedToGateways: 0, spentToday: total, spentThisMonth: total });
});
