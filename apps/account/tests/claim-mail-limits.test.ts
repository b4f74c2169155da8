import type { account } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { readMails } from './mails';

const DAY_MS = 86_400_000;
const sent = { opened: undefined, verificationSent: true, mailToFolder: true };
const refused = { code: 'RESOURCE_EXHAUSTED', reason: 'too_many_trials' };

let service: AccountUnderTest;
let addresses = 0;
beforeAll(async () => {
  service = await startAccountUnderTest({ config: { verifiesEmails: true, claimMailsPerDay: 4 } });
});
afterAll(() => service.stop());

function claim(email: string): Promise<account.ClaimResponse> {
  return service.accounts.call.claim(
    { email, password: 'a quiet river 81', apiKey: '', claimToken: '', address: `10.7.0.${(addresses += 1)}` },
    { deadlineMs: 30_000 },
  );
}

test('mails about claims have a total for a day, after which every email is refused alike', async () => {
  for (let requested = 0; requested < 4; requested += 1) await expect(claim('asked-often@example.org')).resolves.toEqual(sent);
  await expect(claim('last@example.org')).resolves.toEqual(sent);
  for (const email of ['asked-often@example.org', 'last@example.org', 'new@example.org'])
    await expect(claim(email)).rejects.toMatchObject(refused);
  await waitUntil('an empty outbox', async () => (await service.sql('SELECT FROM outbox_mail')).length === 0);
  expect(readMails(service.outbox)).toHaveLength(4);
  service.clock.aheadMs += DAY_MS;
  await expect(claim('new@example.org')).resolves.toEqual(sent);
});

test('a claim that asks for a mail does not wait for a trial that is being opened', async () => {
  service.clock.aheadMs += DAY_MS;
  await service.sql(
    `INSERT INTO throttle (scope, subject, stamps, last_at) VALUES ('trial_total', sha256(''), '{}', now()) ON CONFLICT DO NOTHING`,
  );
  await service.sql('BEGIN');
  try {
    await service.sql(`SELECT FROM throttle WHERE scope = 'trial_total' FOR UPDATE`);
    await expect(claim('other@example.org')).resolves.toEqual(sent);
  } finally {
    await service.sql('ROLLBACK');
  }
});
