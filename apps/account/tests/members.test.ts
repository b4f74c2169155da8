import { account } from '@market-state/contracts';
import { keyDigest } from '@market-state/credentials';
import { createClient } from '@market-state/grpc';
import { patientPeer, waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { digestOf, MANY_CLAIMS, outcomeOf, password } from './login-calls';
import { mailTo, readMails } from './mails';

const { MemberRole } = account;
const address = '203.0.113.1';
const SUBJECT = 'You are invited to a Market-State team';
const DAY_MS = 86_400_000;

let service: AccountUnderTest;
let people = 0;
beforeAll(async () => {
  service = await startAccountUnderTest({ limits: MANY_CLAIMS });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.clock.aheadMs += 8 * DAY_MS;
});

interface Person {
  readonly email: string;
  readonly tenantId: string;
  readonly accountId: string;
  readonly session: Buffer;
}

const newEmail = (): string => `person-${(people += 1)}@example.org`;

function personOf(email: string, opened: account.SessionOpened | undefined): Person {
  return { email, session: digestOf(opened), accountId: opened?.grant?.accountId ?? '', tenantId: opened?.grant?.tenantId ?? '' };
}

/** Owner of a new trial. */
async function newOwner(): Promise<Person> {
  const email = newEmail();
  return personOf(email, (await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address })).opened);
}

const actingAs = ({ tenantId, session: credentialDigest }: Person) => ({ tenantId, credentialDigest, address });

const invite = (by: Person, email: string, role = MemberRole.MEMBER) =>
  service.accounts.call.inviteMember({ ...actingAs(by), email, role });

const tokenIn = (text: string): string => /invitation_token=([\w-]{43})/.exec(text)?.[1] ?? '';

async function tokenFor(email: string): Promise<string> {
  return tokenIn((await mailTo(service.outbox, email, SUBJECT)).text);
}

const accept = (invitationToken: string, as = password) =>
  service.accounts.call.acceptInvitation({ invitationToken, password: as, address });

async function newMember(by: Person, role = MemberRole.MEMBER): Promise<Person> {
  const email = newEmail();
  await invite(by, email, role);
  return personOf(email, (await accept(await tokenFor(email))).opened);
}

const change = (by: Person, { accountId }: Person, role: account.MemberRole) =>
  outcomeOf(service.accounts.call.changeMemberRole({ ...actingAs(by), accountId, role }));

const remove = (by: Person, { accountId }: Person) => outcomeOf(service.accounts.call.removeMember({ ...actingAs(by), accountId }));

const leave = ({ session: sessionDigest }: Person) => outcomeOf(service.accounts.call.leaveTenant({ sessionDigest, address }));

const grantOf = async ({ session: sessionDigest }: Person) => (await service.accounts.call.verifySession({ sessionDigest })).grant;

const rolesIn = async ({ tenantId }: Person): Promise<account.MemberRole[]> =>
  (await service.accounts.call.listMembers({ tenantId })).members.map(({ role }) => role);

test('accounts of earlier releases and claimed accounts are owners', async () => {
  const owner = await newOwner();
  expect(await grantOf(owner)).toMatchObject({ role: MemberRole.OWNER });
  await service.sql(
    `INSERT INTO account (id, tenant_id, email, email_digest, password_hash, created_at)
     VALUES ('acc_earlier', $1, 'earlier@example.org', sha256('earlier'), 'none', now())`,
    [owner.tenantId],
  );
  expect(await rolesIn(owner)).toEqual([MemberRole.OWNER, MemberRole.OWNER]);
});

test.each([MemberRole.OWNER, MemberRole.MEMBER, MemberRole.READ_ONLY])(
  'an invited person joins the tenant once, as %s with a verified email',
  async (role) => {
    const owner = await newOwner();
    const email = newEmail();
    const { invitation } = await invite(owner, email, role);
    expect(invitation).toMatchObject({ email, role, invitedBy: owner.email });
    const token = await tokenFor(email);
    expect(await outcomeOf(accept(token, 'short'))).toBe('too_short');
    expect(await outcomeOf(accept(token, `${email.split('@')[0] ?? ''} and more words`))).toBe('contains_email');
    const joined = personOf(email, (await accept(token)).opened);
    expect(joined.tenantId).toBe(owner.tenantId);
    expect(await grantOf(joined)).toMatchObject({ role, tenantId: owner.tenantId });
    const me = await service.accounts.call.getMe(joined);
    expect(me).toMatchObject({ email, emailVerified: true, role });
    expect(await outcomeOf(accept(token))).toBe('invitation_refused');
    expect((await service.accounts.call.listInvitations(owner)).invitations).toEqual([]);
    expect((await service.accounts.call.login({ email, password, address })).opened?.grant?.role).toBe(role);
  },
);

test('a token is refused once the invitation is withdrawn, replaced or 7 days old, and if its email got an account', async () => {
  const owner = await newOwner();
  const [withdrawn, replaced, late, taken] = [newEmail(), newEmail(), newEmail(), newEmail()];
  const { invitation } = await invite(owner, withdrawn);
  const withdrawnToken = await tokenFor(withdrawn);
  const invitationId = invitation?.invitationId ?? '';
  expect(await outcomeOf(service.accounts.call.withdrawInvitation({ ...actingAs(owner), invitationId }))).toBe('done');
  expect(await outcomeOf(service.accounts.call.withdrawInvitation({ ...actingAs(owner), invitationId }))).toBe('unknown_invitation');

  await invite(owner, replaced, MemberRole.OWNER);
  const replacedToken = await tokenFor(replaced);
  const respelled = replaced.replace('p', 'P');
  await invite(owner, respelled, MemberRole.READ_ONLY);
  expect(tokenIn((await mailTo(service.outbox, respelled, SUBJECT)).text)).not.toBe('');
  expect((await service.accounts.call.listInvitations(owner)).invitations).toMatchObject([{ role: MemberRole.READ_ONLY }]);

  await invite(owner, taken);
  const takenToken = await tokenFor(taken);
  await service.accounts.call.claim({ email: taken, password, apiKey: '', claimToken: '', address });

  await invite(owner, late);
  const lateToken = await tokenFor(late);
  service.clock.aheadMs += 7 * DAY_MS;
  for (const token of [withdrawnToken, replacedToken, takenToken, lateToken, 'x'.repeat(43)])
    expect(await outcomeOf(accept(token))).toBe('invitation_refused');
  expect((await service.accounts.call.listInvitations(owner)).invitations).toEqual([]);
});

test('of several acceptances of one token at the same time, one joins', async () => {
  const owner = await newOwner();
  const email = newEmail();
  await invite(owner, email);
  const token = await tokenFor(email);
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf(accept(token))));
  expect(outcomes.toSorted()).toEqual(['done', 'invitation_refused', 'invitation_refused', 'invitation_refused']);
  expect(await rolesIn(owner)).toHaveLength(2);
});

test('the answer does not reveal that an email has an account elsewhere; its owner gets a mail without a token', async () => {
  const [owner, resident] = [await newOwner(), await newOwner()];
  const known = await invite(owner, resident.email);
  const unknown = await invite(owner, newEmail());
  expect(Object.keys(known)).toEqual(Object.keys(unknown));
  const notice = await mailTo(service.outbox, resident.email, 'A Market-State team invited your email');
  expect(tokenIn(notice.text)).toBe('');
  expect(await outcomeOf(invite(owner, owner.email.toUpperCase()))).toBe('is_member');
});

test('invitations are limited by tenant, mails by recipient; the token of the last mail stays valid', async () => {
  const owner = await newOwner();
  const email = newEmail();
  for (const role of [MemberRole.OWNER, MemberRole.OWNER, MemberRole.OWNER, MemberRole.MEMBER, MemberRole.READ_ONLY])
    await invite(owner, email, role);
  await waitUntil('an empty queue', async () => (await service.sql('SELECT id FROM outbox_mail')).length === 0);
  const mails = readMails(service.outbox).filter(({ to }) => to === email);
  expect(mails).toHaveLength(3);
  expect((await accept(tokenIn(mails.at(-1)?.text ?? ''))).opened?.grant?.role).toBe(MemberRole.READ_ONLY);
  const outcomes: string[] = [];
  for (let time = 0; time < 18; time += 1) outcomes.push(await outcomeOf(invite(owner, newEmail())));
  expect(outcomes.indexOf('too_many_attempts')).toBe(15);
});

test('a new role applies to open sessions, whose watchers are notified', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  const stopped = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { message } of service.client.call.watchKeys({}, { signal: stopped.signal }))
      if (message?.$case === 'sessionEnded') seen.push(message.value.sessionDigest.toString('hex'));
      else if (message?.$case === 'heartbeat') seen.push('heartbeat');
  })().catch(() => undefined);
  await waitUntil('a watch', () => seen.length > 0);
  expect(await change(owner, member, MemberRole.READ_ONLY)).toBe('done');
  await waitUntil('a notice', () => seen.includes(member.session.toString('hex')));
  stopped.abort();
  await watching;
  expect(await grantOf(member)).toMatchObject({ role: MemberRole.READ_ONLY });
});

test('a removed member loses every session at once and may be invited again', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  const second = digestOf((await service.accounts.call.login({ email: member.email, password, address })).opened);
  expect(await service.accounts.call.removeMember({ ...actingAs(owner), accountId: member.accountId })).toEqual({ endedSessionCount: 2 });
  expect([await grantOf(member), await grantOf({ ...member, session: second })]).toEqual([undefined, undefined]);
  expect(await outcomeOf(service.accounts.call.login({ email: member.email, password, address }))).toBe('login_refused');
  expect(await remove(owner, member)).toBe('unknown_member');
  const earlier = readMails(service.outbox).length;
  await invite(owner, member.email);
  const token = await waitUntil(
    'a second mail',
    () =>
      tokenIn(
        readMails(service.outbox)
          .slice(earlier)
          .find(({ to }) => to === member.email)?.text ?? '',
      ) || false,
  );
  expect(await outcomeOf(accept(token))).toBe('done');
});

test('the last owner can neither leave nor be removed or demoted; an earlier one can', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  expect([await leave(owner), await remove(owner, owner), await change(owner, owner, MemberRole.MEMBER)]).toEqual([
    'last_owner',
    'last_owner',
    'last_owner',
  ]);
  expect(await change(owner, member, MemberRole.OWNER)).toBe('done');
  expect(await leave(owner)).toBe('done');
  expect(await grantOf(owner)).toBeUndefined();
  expect(await leave(member)).toBe('last_owner');
});

test('two owners who remove, demote or leave at the same time leave one owner', async () => {
  for (const round of [0, 1, 2]) {
    const owner = await newOwner();
    const other = await newMember(owner, MemberRole.OWNER);
    const tries = [
      [() => remove(owner, other), () => remove(other, owner)],
      [() => change(owner, other, MemberRole.MEMBER), () => change(other, owner, MemberRole.MEMBER)],
      [() => leave(owner), () => leave(other)],
    ][round];
    await Promise.all((tries ?? []).map((work) => work()));
    expect((await rolesIn(owner)).filter((role) => role === MemberRole.OWNER)).toHaveLength(1);
  }
});

test('only owners change members, whatever the gateway cached', async () => {
  const owner = await newOwner();
  const target = await newMember(owner);
  for (const role of [MemberRole.MEMBER, MemberRole.READ_ONLY]) {
    const actor = await newMember(owner, role);
    const invitationId = (await invite(owner, newEmail())).invitation?.invitationId ?? '';
    expect([
      await change(actor, actor, MemberRole.OWNER),
      await remove(actor, target),
      await outcomeOf(invite(actor, newEmail())),
      await outcomeOf(service.accounts.call.withdrawInvitation({ ...actingAs(actor), invitationId })),
    ]).toEqual(Array<string>(4).fill('insufficient_role'));
    expect(await remove(owner, actor)).toBe('done');
    expect(await remove(actor, target)).toBe('unauthenticated');
  }
});

test('keys with the scope account are made, changed and rotated by owners only, other keys by members', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  const { Scope } = account;
  const make = (by: Person, scopes: account.Scope[]) =>
    service.client.call.createKey({
      tenantId: by.tenantId,
      name: 'n',
      kind: account.KeyKind.LIVE,
      scopes,
      expiresTsMs: 0,
      credentialDigest: by.session,
    });
  const ownersKey = (await make(owner, [Scope.READ, Scope.ACCOUNT])).record?.keyId ?? '';
  const membersKey = (await make(member, [Scope.READ])).record?.keyId ?? '';
  const { tenantId, session: credentialDigest } = member;
  const update = (keyId: string, scopes: account.Scope[]) =>
    outcomeOf(service.client.call.updateKey({ tenantId, keyId, name: 'm', scopes, credentialDigest }));
  const rotate = (keyId: string) => outcomeOf(service.client.call.rotateKey({ tenantId, keyId, overlapMs: 0, credentialDigest }));
  expect([
    await outcomeOf(make(member, [Scope.ACCOUNT])),
    await update(ownersKey, [Scope.READ]),
    await update(membersKey, [Scope.ACCOUNT]),
    await rotate(ownersKey),
  ]).toEqual(Array<string>(4).fill('insufficient_role'));
  expect([await update(membersKey, [Scope.READ, Scope.EXPORT]), await rotate(membersKey)]).toEqual(['done', 'done']);
  expect(await outcomeOf(make(await newMember(owner, MemberRole.READ_ONLY), [Scope.READ]))).toBe('insufficient_role');
});

test('a key with the scope account invites like an owner; one tenant reaches no member or invitation of another', async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()];
  const member = await newMember(owner);
  const { key } = await service.client.call.createKey({
    tenantId: owner.tenantId,
    name: 'n',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.ACCOUNT],
    expiresTsMs: 0,
    credentialDigest: owner.session,
  });
  const byKey = { ...owner, session: Buffer.from(keyDigest(key)) };
  const { invitation } = await invite(byKey, newEmail());
  expect(invitation).toMatchObject({ invitedBy: '' });
  const invitationId = invitation?.invitationId ?? '';
  expect([
    await remove(stranger, member),
    await change(stranger, member, MemberRole.OWNER),
    await outcomeOf(service.accounts.call.withdrawInvitation({ ...actingAs(stranger), invitationId })),
    await remove({ ...stranger, tenantId: owner.tenantId }, member),
  ]).toEqual(['unknown_member', 'unknown_member', 'unknown_invitation', 'unauthenticated']);
  expect(await rolesIn(stranger)).toHaveLength(1);
  expect((await service.accounts.call.listInvitations(stranger)).invitations).toEqual([]);
});

test('the audit log names the acting and the changed member, also after they are gone', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  await change(owner, member, MemberRole.READ_ONLY);
  await remove(owner, member);
  const { events } = await service.accounts.call.listAccountEvents({ tenantId: owner.tenantId, limit: 4, cursor: '' });
  const by = (person: Person) => ({ accountId: person.accountId, accountEmail: person.email, address });
  expect(events).toMatchObject([
    { ...by(owner), kind: 'member_removed', subjectId: member.accountId, subjectEmail: member.email },
    { ...by(owner), kind: 'member_role_changed', subjectEmail: member.email, role: MemberRole.READ_ONLY },
    { ...by(member), kind: 'member_joined', role: MemberRole.MEMBER },
    { ...by(owner), kind: 'member_invited', subjectEmail: member.email, role: MemberRole.MEMBER },
  ]);
});

test('the first reset of an unverified email in a trial closes invited accounts and withdraws invitations', async () => {
  const owner = await newOwner();
  const member = await newMember(owner, MemberRole.OWNER);
  await change(member, owner, MemberRole.READ_ONLY);
  const pending = newEmail();
  await invite(member, pending);
  const token = await tokenFor(pending);
  await service.accounts.call.requestPasswordReset({ email: owner.email, address });
  const reset = await mailTo(service.outbox, owner.email, 'Reset your Market-State password');
  const resetToken = /reset_token=([\w-]{43})/.exec(reset.text)?.[1] ?? '';
  const done = await service.accounts.call.confirmPasswordReset({ resetToken, newPassword: 'quite another long one', address });
  expect(done).toMatchObject({ closedAccountEmails: [member.email], movedToTenantId: '' });
  expect(await grantOf(member)).toBeUndefined();
  expect(await outcomeOf(accept(token))).toBe('invitation_refused');
  expect(await rolesIn(owner)).toEqual([MemberRole.OWNER]);
});

test('an operator lists the members of a tenant and makes one an owner', async () => {
  const operator = createClient({ definition: account.OperatorServiceService, ...patientPeer('account'), address: service.server.address });
  const owner = await newOwner();
  const member = await newMember(owner, MemberRole.READ_ONLY);
  expect(await operator.call.makeOwner({ email: member.email.toUpperCase() })).toEqual({
    accountId: member.accountId,
    tenantId: owner.tenantId,
  });
  const { members } = await operator.call.listTenantMembers({ tenantId: owner.tenantId });
  expect(members).toMatchObject([
    { email: owner.email, role: MemberRole.OWNER },
    { email: member.email, role: MemberRole.OWNER },
  ]);
  expect(await outcomeOf(operator.call.makeOwner({ email: 'nobody@example.org' }))).toBe('unknown_member');
  expect(await outcomeOf(operator.call.listTenantMembers({ tenantId: 'ten_none' }))).toBe('unknown_tenant');
  await operator.close();
});

test('neither invitation tokens nor emails are logged, and tokens are not stored', async () => {
  const owner = await newOwner();
  const email = newEmail();
  await invite(owner, email);
  const token = await tokenFor(email);
  const rows = await service.sql<{ row: string }>('SELECT invitation::text AS row FROM invitation');
  for (const text of [service.lines.join(''), rows.map(({ row }) => row).join('')]) expect(text).not.toContain(token);
  expect(service.lines.join('')).not.toContain(email);
});
