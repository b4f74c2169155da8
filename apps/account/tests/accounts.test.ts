import { secretDigest } from '@market-state/credentials';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

jest.setTimeout(30_000);

let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest();
}, 60_000);
afterAll(() => service.stop());

const password = 'a quiet river 81';

test('a claim with neither key nor token opens a trial, its session, and later logins', async () => {
  const { opened } = await service.accounts.call.claim({ email: 'first@example.org', password, apiKey: '', claimToken: '', address: '203.0.113.1' });
  expect(opened?.grant).toMatchObject({ plan: { planId: 'trial' } });
  const login = await service.accounts.call.login({ email: 'First@Example.org', password, address: '203.0.113.2' });
  expect(login.opened?.session).not.toBe(opened?.session);
  const { grant } = await service.accounts.call.verifySession({ sessionDigest: secretDigest(login.opened?.session ?? '') });
  expect(grant?.accountId).toBe(opened?.grant?.accountId);
});
