import type { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type CallContext, grantOf, type Handler } from '../../serving/answers/handler';
import { fromProtoRole, toProtoRole } from '../../serving/auth/credentials';
import { textOrNull, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { type AccountDeps, credentialDigestOf, fromAccount, sessionDigestOf } from './account-deps';
import { mailDelivery, withSession } from './sessions';

/** Account reads the credential and its role again, since they may have changed. */
function actorOf(call: CallContext) {
  return { tenantId: grantOf(call).tenantId, credentialDigest: credentialDigestOf(call), address: call.address() };
}

function showMember(call: CallContext, member: account.Member | undefined): Described<'Member'> {
  if (member === undefined) throw internal({ detail: 'account returned no member' });
  return {
    account_id: member.accountId,
    email: member.email,
    role: fromProtoRole(member.role),
    second_factor_enabled: member.secondFactorEnabled,
    joined_utc: toUtc(member.createdTsMs),
    last_active_utc: toUtcOrNull(member.lastUsedTsMs),
    current: member.accountId === grantOf(call).accountId,
  };
}

function showInvitation(invitation: account.Invitation | undefined): Described<'Invitation'> {
  if (invitation === undefined) throw internal({ detail: 'account returned no invitation' });
  return {
    invitation_id: invitation.invitationId,
    email: invitation.email,
    role: fromProtoRole(invitation.role),
    invited_by: textOrNull(invitation.invitedBy),
    created_utc: toUtc(invitation.createdTsMs),
    expires_utc: toUtc(invitation.expiresTsMs),
  };
}

export function listMembers({ people }: AccountDeps): Handler<'listMembers'> {
  return async (call) => {
    const { members } = await fromAccount(people.call.listMembers({ tenantId: grantOf(call).tenantId }));
    const rows = members.map((member) => showMember(call, member));
    return accountAnswer(call, { rows, row_total: rows.length }, 'Members of this tenant, oldest first.');
  };
}

export function updateMember({ people }: AccountDeps): Handler<'updateMember'> {
  return async (call) => {
    const change = { ...actorOf(call), accountId: call.input.path.account_id, role: toProtoRole(call.input.body.role) };
    const { member } = await fromAccount(people.call.changeMemberRole(change));
    return accountAnswer(call, { member: showMember(call, member) }, 'Role changed.');
  };
}

export function removeMember({ people }: AccountDeps): Handler<'removeMember'> {
  return async (call) => {
    const accountId = call.input.path.account_id;
    const { endedSessionCount } = await fromAccount(people.call.removeMember({ ...actorOf(call), accountId }));
    return accountAnswer(
      call,
      { account_id: accountId, removed: true as const, ended_session_total: endedSessionCount },
      'Member removed. API keys stay valid.',
    );
  };
}

export function leaveTeam({ people, cookie }: AccountDeps): Handler<'leaveTeam'> {
  return async (call) => {
    await fromAccount(people.call.leaveTenant({ sessionDigest: sessionDigestOf(call), address: call.address() }));
    return { ...accountAnswer(call, { left: true as const }, 'Your account was deleted.'), headers: { 'Set-Cookie': cookie.clear() } };
  };
}

export function listInvitations({ people }: AccountDeps): Handler<'listInvitations'> {
  return async (call) => {
    const { invitations } = await fromAccount(people.call.listInvitations({ tenantId: grantOf(call).tenantId }));
    const rows = invitations.map(showInvitation);
    return accountAnswer(call, { rows, row_total: rows.length }, 'Pending invitations of this tenant, oldest first.');
  };
}

export function createInvitation({ people }: AccountDeps): Handler<'createInvitation'> {
  return async (call) => {
    const { email, role } = call.input.body;
    const { invitation, mailToFolder } = await fromAccount(people.call.inviteMember({ ...actorOf(call), email, role: toProtoRole(role) }));
    return accountAnswer(
      call,
      { invitation: showInvitation(invitation), mail_delivery: mailDelivery(mailToFolder) },
      mailToFolder
        ? 'This installation has no mail server: the email is in its outbox folder. Its link works once, for 7 days.'
        : 'An email is on its way to this address. Its link works once, for 7 days.',
    );
  };
}

export function withdrawInvitation({ people }: AccountDeps): Handler<'withdrawInvitation'> {
  return async (call) => {
    const invitationId = call.input.path.invitation_id;
    await fromAccount(people.call.withdrawInvitation({ ...actorOf(call), invitationId }));
    return accountAnswer(call, { invitation_id: invitationId, withdrawn: true as const }, 'Invitation withdrawn.');
  };
}

export function acceptInvitation({ signIn, cookie }: AccountDeps): Handler<'acceptInvitation'> {
  return async (call) => {
    const { invitation_token: invitationToken, password } = call.input.body;
    const { opened } = await fromAccount(signIn.call.acceptInvitation({ invitationToken, password, address: call.address() }));
    return withSession(call, cookie, opened, {});
  };
}
