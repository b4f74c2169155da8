import { type CreditCalls, testCredits } from './credit-calls';
import { chargeOf, type CreditsUnderTest, postUntilKnown } from './credits-under-test';

let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let balanceOf: CreditCalls['balanceOf'];

testCredits((service, calls) => {
  under = service;
  ({ call, balanceOf } = calls);
});

test('gateways that take, charge and end at once over many connections never spend more than there is', async () => {
  const tenantId = await under.tenantWith(500);
  await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 300 } });
  const gateway = async (gatewayId: string): Promise<number> => {
    let charged = 0;
    for (let round = 0; round < 15; round += 1) {
      const { lease } = await call.takeLease({ tenantId, gatewayId, needed: 1, wanted: 7 }).catch(() => ({ lease: undefined }));
      if (lease === undefined) continue;
      const batch = { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(tenantId, Math.min(5, lease.amount))] };
      await Promise.all([postUntilKnown(call, batch), postUntilKnown(call, batch), postUntilKnown(call, batch)]);
      charged += Math.min(5, lease.amount);
      await Promise.all([call.endLease(lease), call.endLease(lease)]);
    }
    return charged;
  };
  const charged = await Promise.all(Array.from({ length: 8 }, (_, index) => gateway(`gw_${index}`)));
  const total = charged.reduce((sum, one) => sum + one, 0);
  expect(total).toBe(300);
  expect(await balanceOf(tenantId)).toEqual({ available: 200, held: 0, leasedToGateways: 0, spentToday: total, spentThisMonth: total });
});
