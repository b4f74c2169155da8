import type { account } from '@market-state/contracts';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let people = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

function claim(address: string): Promise<account.ClaimResponse> {
  people += 1;
  const request = { email: `person-${people}@example.org`, password: 'a quiet river 81', apiKey: '', claimToken: '', address };
  return service.accounts.call.claim(request, { deadlineMs: 30_000 });
}

test('of 200 concurrent trials from an address two are opened, and the rest are refused with a retry time', async () => {
  const results = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => claim(`2001:db8:7::${index.toString(16)}`)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const errors = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as { reason: string; metadata: Record<string, string> }] : [],
  );
  // Some of the many concurrent calls are refused before they are counted.
  expect(
    errors.filter(({ reason }) => !['too_many_trials', 'password_work_full', 'overloaded', 'upstream_unavailable'].includes(reason)),
  ).toEqual([]);
  for (const { reason, metadata } of errors) if (reason === 'too_many_trials') expect(metadata['retry_after_s']).toMatch(/^86[34]\d\d$/);
});

test('a hundred trials a day from everywhere', async () => {
  service.clock.aheadMs += 25 * 3_600_000;
  const outcomes: string[] = [];
  for (let block = 0; block < 3; block += 1) {
    const claims = Array.from({ length: 40 }, (_, index) =>
      claim(`10.0.${block}.${index}`).then(
        () => 'opened',
        ({ reason }: { reason: string }) => reason,
      ),
    );
    outcomes.push(...(await Promise.all(claims)));
  }
  expect(outcomes.sort()).toEqual([...Array<string>(100).fill('opened'), ...Array<string>(20).fill('too_many_trials')]);
});
