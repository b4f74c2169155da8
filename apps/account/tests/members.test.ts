import { account } from '@market-state/contracts';
import { keyDigest } from '@market-state/credentials';
import { createClient } from '@market-state/grpc';
import { patientPeer, waitUntil } from '@market-state/testing';
import { digestOf, outcomeOf, password } from './login-calls';
import { readMails } from './mails';
import { actingAs, address, tokenIn, type Person, teamsUnderTest } from './team-calls';

const { MemberRole } = account;

const teams = teamsUnderTest();
const { newEmail, invite, accept, grantOf, newOwner, newMember, change, remove, leave, rolesIn } = teams;

test('accounts of earlier releases and claimed accounts are owners', async () => {
  const owner = await newOwner();
  expect(await grantOf(owner)).toMatchObject({ role: MemberRole.OWNER });
  await teams.service.sql(
    `INSERT INTO account (id, tenant_id, email, email_digest, password_hash, created_at)
     VALUES ('acc_earlier', $1, 'earlier@example.org', sha256('earlier'), 'none', now())`,
    [owner.tenantId],
  );
  expect(await rolesIn(owner)).toEqual([MemberRole.OWNER, MemberRole.OWNER]);
});

test('a new role applies to open sessions, whose watchers are notified', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  const stopped = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { message } of teams.service.client.call.watchKeys({}, { signal: stopped.signal }))
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
  const second = digestOf((await teams.service.accounts.call.login({ email: member.email, password, address })).opened);
  expect(await teams.service.accounts.call.removeMember({ ...actingAs(owner), accountId: member.accountId })).toEqual({
    endedSessionCount: 2,
  });
  expect([await grantOf(member), await grantOf({ ...member, session: second })]).toEqual([undefined, undefined]);
  expect(await outcomeOf(teams.service.accounts.call.login({ email: member.email, password, address }))).toBe('login_refused');
  expect(await remove(owner, member)).toBe('unknown_member');
  const earlier = readMails(teams.service.outbox).length;
  await invite(owner, member.email);
  const token = await waitUntil(
    'a second mail',
    () =>
      tokenIn(
        readMails(teams.service.outbox)
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
      await outcomeOf(teams.service.accounts.call.withdrawInvitation({ ...actingAs(actor), invitationId })),
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
    teams.service.client.call.createKey({
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
    outcomeOf(teams.service.client.call.updateKey({ tenantId, keyId, name: 'm', scopes, credentialDigest }));
  const rotate = (keyId: string) => outcomeOf(teams.service.client.call.rotateKey({ tenantId, keyId, overlapMs: 0, credentialDigest }));
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
  const { key } = await teams.service.client.call.createKey({
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
    await outcomeOf(teams.service.accounts.call.withdrawInvitation({ ...actingAs(stranger), invitationId })),
    await remove({ ...stranger, tenantId: owner.tenantId }, member),
  ]).toEqual(['unknown_member', 'unknown_member', 'unknown_invitation', 'unauthenticated']);
  expect(await rolesIn(stranger)).toHaveLength(1);
  expect((await teams.service.accounts.call.listInvitations(stranger)).invitations).toEqual([]);
});

test('the audit log names the acting and the changed member, also after they are gone', async () => {
  const owner = await newOwner();
  const member = await newMember(owner);
  await change(owner, member, MemberRole.READ_ONLY);
  await remove(owner, member);
  const { events } = await teams.service.accounts.call.listAccountEvents({ tenantId: owner.tenantId, limit: 4, cursor: '' });
  const by = (person: Person) => ({ accountId: person.accountId, accountEmail: person.email, address });
  expect(events).toMatchObject([
    { ...by(owner), kind: 'member_removed', subjectId: member.accountId, subjectEmail: member.email },
    { ...by(owner), kind: 'member_role_changed', subjectEmail: member.email, role: MemberRole.READ_ONLY },
    { ...by(member), kind: 'member_joined', role: MemberRole.MEMBER },
    { ...by(owner), kind: 'member_invited', subjectEmail: member.email, role: MemberRole.MEMBER },
  ]);
});

test('an operator lists the members of a tenant and makes one an owner', async () => {
  const operator = createClient({
    definition: account.OperatorServiceService,
    ...patientPeer('account'),
    address: teams.service.server.address,
  });
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
