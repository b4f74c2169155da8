import { account } from '@market-state/contracts';
import { chargedAtOnce } from './ceiling-runs';
import { testCredits } from './credit-calls';
import type { CreditsUnderTest } from './credits-under-test';

let under: CreditsUnderTest;

testCredits((service) => {
  under = service;
});

test('of 200 calls at once over two processes of the service and four gateways none passes a ceiling', async () => {
  const tenantId = await under.tenantWith(10_000, 100);
  const { record } = await under.service.client.call.createKey({
    tenantId,
    name: 'agent',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
    creditCeiling: { credits: 50, windowSeconds: 3_600 },
  });
  const of = { tenantId, keyId: record?.keyId ?? '' };
  // Separate clients: an overloaded service opens their circuit breakers, which must not affect other tests.
  await under.service.withReplica(({ credits: one }) =>
    under.service.withReplica(async ({ credits: other }) => {
      const charged = await chargedAtOnce([one.call, other.call], of, 200);
      expect(charged).toBeLessThanOrEqual(50);
      expect(charged).toBeGreaterThan(47);
      expect((await under.client.call.getBalances(of)).ceiling).toMatchObject({ spent: charged });
    }),
  );
});
