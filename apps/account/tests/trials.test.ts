import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest({ config: { trialsPerDay: 6 } });
});
afterAll(() => service.stop());

test('as many trials a day from everywhere as the settings allow, however many are asked for at once', async () => {
  const claims = Array.from({ length: 9 }, (_, index) =>
    service.accounts.call
      .claim({ email: `person-${index}@example.org`, password: 'a quiet river 81', apiKey: '', claimToken: '', address: `10.0.0.${index}` })
      .then(
        () => 'opened',
        ({ reason }: { reason: string }) => reason,
      ),
  );
  expect((await Promise.all(claims)).sort()).toEqual([...Array<string>(6).fill('opened'), ...Array<string>(3).fill('too_many_trials')]);
});
