import { account } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { digestOf, outcomeOf, password } from './login-calls';
import { mailTo, readMails } from './mails';
import { actingAs, address, tokenIn, teamsUnderTest } from './team-calls';

const { MemberRole } = account;
const DAY_MS = 86_400_000;

const teams = teamsUnderTest();
const { newEmail, invite, tokenFor, accept, grantOf, newOwner, newMember, change, rolesIn } = teams;

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
    const { opened } = await accept(token);
    const joined = { email, session: digestOf(opened), accountId: opened?.grant?.accountId ?? '', tenantId: opened?.grant?.tenantId ?? '' };
    expect(joined.tenantId).toBe(owner.tenantId);
    expect(await grantOf(joined)).toMatchObject({ role, tenantId: owner.tenantId });
    const me = await teams.service.accounts.call.getMe(joined);
    expect(me).toMatchObject({ email, emailVerified: true, role });
    expect(await outcomeOf(accept(token))).toBe('invitation_refused');
    expect((await teams.service.accounts.call.listInvitations(owner)).invitations).toEqual([]);
    expect((await teams.service.accounts.call.login({ email, password, address })).opened?.grant?.role).toBe(role);
  },
);

test('a token is refused once the invitation is withdrawn, replaced or 7 days old, and if its email got an account', async () => {
  const owner = await newOwner();
  const [withdrawn, replaced, late, taken] = [newEmail(), newEmail(), newEmail(), newEmail()];
  const { invitation } = await invite(owner, withdrawn);
  const withdrawnToken = await tokenFor(withdrawn);
  const invitationId = invitation?.invitationId ?? '';
  expect(await outcomeOf(teams.service.accounts.call.withdrawInvitation({ ...actingAs(owner), invitationId }))).toBe('done');
  expect(await outcomeOf(teams.service.accounts.call.withdrawInvitation({ ...actingAs(owner), invitationId }))).toBe('unknown_invitation');

  await invite(owner, replaced, MemberRole.OWNER);
  const replacedToken = await tokenFor(replaced);
  const respelled = replaced.replace('p', 'P');
  await invite(owner, respelled, MemberRole.READ_ONLY);
  expect(await tokenFor(respelled)).not.toBe(replacedToken);
  expect((await teams.service.accounts.call.listInvitations(owner)).invitations).toMatchObject([{ role: MemberRole.READ_ONLY }]);

  await invite(owner, taken);
  const takenToken = await tokenFor(taken);
  await teams.service.accounts.call.claim({ email: taken, password, apiKey: '', claimToken: '', address });

  await invite(owner, late);
  const lateToken = await tokenFor(late);
  teams.service.clock.aheadMs += 7 * DAY_MS;
  for (const token of [withdrawnToken, replacedToken, takenToken, lateToken, 'x'.repeat(43)])
    expect(await outcomeOf(accept(token))).toBe('invitation_refused');
  expect((await teams.service.accounts.call.listInvitations(owner)).invitations).toEqual([]);
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
  const notice = await mailTo(teams.service.outbox, resident.email, 'A Market-State team invited your email');
  expect(tokenIn(notice.text)).toBe('');
  expect(await outcomeOf(invite(owner, owner.email.toUpperCase()))).toBe('is_member');
});

test('invitations are limited by tenant, mails by recipient; the token of the last mail stays valid', async () => {
  const owner = await newOwner();
  const email = newEmail();
  for (const role of [MemberRole.OWNER, MemberRole.OWNER, MemberRole.OWNER, MemberRole.MEMBER, MemberRole.READ_ONLY])
    await invite(owner, email, role);
  await waitUntil('an empty queue', async () => (await teams.service.sql('SELECT id FROM outbox_mail')).length === 0);
  const mails = readMails(teams.service.outbox).filter(({ to }) => to === email);
  expect(mails).toHaveLength(3);
  expect((await accept(tokenIn(mails.at(-1)?.text ?? ''))).opened?.grant?.role).toBe(MemberRole.READ_ONLY);
  const outcomes: string[] = [];
  for (let time = 0; time < 18; time += 1) outcomes.push(await outcomeOf(invite(owner, newEmail())));
  expect(outcomes.indexOf('too_many_attempts')).toBe(15);
});

test('the first reset of an unverified email in a trial closes invited accounts and withdraws invitations', async () => {
  const owner = await newOwner();
  const member = await newMember(owner, MemberRole.OWNER);
  await change(member, owner, MemberRole.READ_ONLY);
  const pending = newEmail();
  await invite(member, pending);
  const token = await tokenFor(pending);
  await teams.service.accounts.call.requestPasswordReset({ email: owner.email, address });
  const reset = await mailTo(teams.service.outbox, owner.email, 'Reset your Market-State password');
  const resetToken = /reset_token=([\w-]{43})/.exec(reset.text)?.[1] ?? '';
  const done = await teams.service.accounts.call.confirmPasswordReset({ resetToken, newPassword: 'quite another long one', address });
  expect(done).toMatchObject({ closedAccountEmails: [member.email], movedToTenantId: '' });
  expect(await grantOf(member)).toBeUndefined();
  expect(await outcomeOf(accept(token))).toBe('invitation_refused');
  expect(await rolesIn(owner)).toEqual([MemberRole.OWNER]);
});

test('neither invitation tokens nor emails are logged, and tokens are not stored', async () => {
  const owner = await newOwner();
  const email = newEmail();
  await invite(owner, email);
  const token = await tokenFor(email);
  const rows = await teams.service.sql<{ row: string }>('SELECT invitation::text AS row FROM invitation');
  for (const text of [teams.service.lines.join(''), rows.map(({ row }) => row).join('')]) expect(text).not.toContain(token);
  expect(teams.service.lines.join('')).not.toContain(email);
});
