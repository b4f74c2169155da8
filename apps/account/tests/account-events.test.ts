import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { password } from './login-calls';
import { mailTo } from './mails';

const address = '2001:db8:1:2:3::4';
const network = '2001:db8:1:2::/64';
let service: AccountUnderTest;
let opened: account.SessionOpened | undefined;
beforeAll(async () => {
  service = await startAccountUnderTest();
  ({ opened } = await service.accounts.call.claim({ email: 'keeper@example.org', password, apiKey: '', claimToken: '', address }));
});
afterAll(() => service.stop());

const tenantId = (): string => opened?.grant?.tenantId ?? '';
const accountId = (): string => opened?.grant?.accountId ?? '';
const list = (limit: number, cursor = '', of = tenantId()) => service.accounts.call.listAccountEvents({ tenantId: of, limit, cursor });

test('logins, keys, passwords, emails and destinations are listed with who acted, newest first, in pages', async () => {
  const { call } = service.accounts;
  await call.login({ email: 'keeper@example.org', password, address });
  const credentialDigest = Buffer.from(secretDigest(opened?.session ?? ''));
  const key = {
    tenantId: tenantId(),
    name: 'n',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
    credentialDigest,
  };
  const { record } = await service.client.call.createKey(key);
  const keyId = record?.keyId ?? '';
  await service.client.call.revokeKey({ tenantId: tenantId(), keyId, credentialDigest });
  await call.recordDestinationEvent({
    tenantId: tenantId(),
    accountId: '',
    keyId,
    kind: 'destination_created',
    subjectId: 'we_1',
    address: '203.0.113.9',
  });
  await call.requestPasswordReset({ email: 'keeper@example.org', address });
  const { text } = await mailTo(service.outbox, 'keeper@example.org', 'Reset your Market-State password');
  const resetToken = /reset_token=([\w-]{43})/.exec(text)?.[1] ?? '';
  await call.confirmPasswordReset({ resetToken, newPassword: 'an entirely different one', address });
  const first = await list(3);
  const rest = await list(100, first.nextCursor);
  const mine = { accountId: accountId(), keyId: '' };
  expect([...first.events, ...rest.events]).toMatchObject([
    { kind: 'password_changed', ...mine, subjectId: '', address: network },
    { kind: 'destination_created', accountId: '', keyId, subjectId: 'we_1', address: '203.0.113.9' },
    { kind: 'key_revoked', ...mine, subjectId: keyId },
    { kind: 'key_created', ...mine, subjectId: keyId },
    { kind: 'login', ...mine, subjectId: '', address: network },
  ]);
  expect([first.events.length, rest.nextCursor]).toEqual([3, '']);
});

test('another tenant sees none of it, with its own or a stolen cursor', async () => {
  expect((await list(10, '', 'ten_other')).events).toEqual([]);
  const { nextCursor } = await list(1);
  await expect(list(10, nextCursor, 'ten_other')).rejects.toMatchObject({ reason: 'invalid_argument' });
  await expect(list(10, 'x')).rejects.toMatchObject({ reason: 'invalid_argument' });
});

test('neither the service nor the owner of the tables changes an event, and only those older than 400 days are deleted', async () => {
  const { events } = await list(100);
  for (const statement of ['UPDATE account_event SET kind = $$x$$', 'DELETE FROM account_event', 'TRUNCATE account_event'])
    for (const run of [service.sql, service.ownerSql]) await expect(run(statement)).rejects.toMatchObject({ code: '42501' });
  await service.sql(
    `INSERT INTO account_event (id, tenant_id, kind, created_at) SELECT 'evn_old' || days, $1, 'login', now() - days * interval '1 day'
     FROM unnest(ARRAY[399, 401]) AS days`,
    [tenantId()],
  );
  await service.sql('SELECT forget_account_events(10)');
  expect((await list(100)).events.map(({ eventId }) => eventId)).toEqual([...events.map(({ eventId }) => eventId), 'evn_old399']);
});
