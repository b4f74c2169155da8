import type { account } from '@market-state/contracts';
import type { MemberRole } from '@market-state/credentials';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { digestFaults, idFaults, lengthFaults, refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import { emailFaults } from '../../accounts/email';
import { passwordFaults } from '../../accounts/password-rules';
import * as invitations from '../../members/invitations';
import * as members from '../../members/members';
import type { Actor } from '../../members/require-role';
import * as invitationStore from '../../store/invitations';
import * as memberStore from '../../store/members';
import { callerOf, fromProtoRole, readNetwork, readSessionCaller, toProtoOpened, toProtoRole } from './wire';

export function toProtoMember(member: memberStore.Member): account.Member {
  return {
    accountId: member.id,
    email: member.email,
    role: toProtoRole(member.role),
    secondFactorEnabled: member.hasFactor,
    createdTsMs: member.createdTsMs,
    lastUsedTsMs: member.lastUsedTsMs ?? 0,
  };
}

function toProtoInvitation({ id, email, role, invitedBy, createdTsMs, expiresTsMs }: invitationStore.Invitation): account.Invitation {
  return { invitationId: id, email, role: toProtoRole(role), invitedBy: invitedBy ?? '', createdTsMs, expiresTsMs };
}

interface ActorRequest {
  readonly tenantId: string;
  readonly credentialDigest: Uint8Array;
  readonly address: string;
}

/** Checks a request of an owner; `faults` are those of its other fields. */
function readActor(
  { tenantId, credentialDigest: digest, address }: ActorRequest,
  faults: readonly Fault[],
): { readonly actor: Actor; readonly network: string } {
  const { network, faults: addressFaults } = readNetwork(address);
  refuseFaults([...idFaults('tenant_id', tenantId), ...faults, ...digestFaults('credential_digest', digest), ...addressFaults]);
  return { actor: { tenantId, digest }, network };
}

const ROLE_FAULT: Fault = { field: 'role', message: 'must be owner, member or read_only', type: 'required' };

interface RoleRequest extends ActorRequest {
  readonly role: account.MemberRole;
}

function readActorWithRole(
  request: RoleRequest,
  faults: readonly Fault[],
): { readonly actor: Actor; readonly network: string; readonly role: MemberRole } {
  const role = fromProtoRole(request.role);
  const read = readActor(request, [...faults, ...(role === undefined ? [ROLE_FAULT] : [])]);
  if (role === undefined) throw invalidArgument([ROLE_FAULT]);
  return { ...read, role };
}

export async function listMembers(
  { pool, clock }: AccountsDeps,
  { tenantId }: account.ListMembersRequest,
): Promise<account.ListMembersResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  return { members: (await memberStore.listMembers(pool, tenantId, clock())).map(toProtoMember) };
}

export async function changeMemberRole(
  deps: AccountsDeps,
  request: account.ChangeMemberRoleRequest,
): Promise<account.ChangeMemberRoleResponse> {
  const { accountId } = request;
  const { role, actor, network } = readActorWithRole(request, idFaults('account_id', accountId));
  const member = await members.changeRole(deps, { actor, accountId, network }, role);
  deps.logger.info({ tenant_id: actor.tenantId, account_id: accountId, role }, 'role changed');
  return { member: toProtoMember(member) };
}

export async function removeMember(deps: AccountsDeps, request: account.RemoveMemberRequest): Promise<account.RemoveMemberResponse> {
  const { accountId } = request;
  const { actor, network } = readActor(request, idFaults('account_id', accountId));
  const endedSessionCount = await members.removeMember(deps, { actor, accountId, network });
  deps.logger.info({ tenant_id: actor.tenantId, account_id: accountId, ended_sessions: endedSessionCount }, 'member removed');
  return { endedSessionCount };
}

export async function leaveTenant(
  deps: AccountsDeps,
  request: account.LeaveTenantRequest,
  context: CallContext,
): Promise<account.LeaveTenantResponse> {
  const { network } = readSessionCaller(request, context, []);
  const { tenantId, accountId } = await members.leaveTenant(deps, request.sessionDigest, network);
  deps.logger.info({ tenant_id: tenantId, account_id: accountId }, 'member left');
  return {};
}

export async function inviteMember(deps: AccountsDeps, request: account.InviteMemberRequest): Promise<account.InviteMemberResponse> {
  const { email } = request;
  const { actor, network, role } = readActorWithRole(request, emailFaults('email', email));
  const invitation = await invitations.inviteMember(deps, { actor, email, role, network });
  deps.logger.info({ tenant_id: actor.tenantId, invitation_id: invitation.id, role }, 'member invited');
  return { invitation: toProtoInvitation(invitation), mailToFolder: deps.mailToFolder };
}

export async function listInvitations(
  { pool, clock }: AccountsDeps,
  { tenantId }: account.ListInvitationsRequest,
): Promise<account.ListInvitationsResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  return { invitations: (await invitationStore.listInvitations(pool, tenantId, clock())).map(toProtoInvitation) };
}

export async function withdrawInvitation(
  deps: AccountsDeps,
  request: account.WithdrawInvitationRequest,
): Promise<account.WithdrawInvitationResponse> {
  const { invitationId } = request;
  const { actor, network } = readActor(request, idFaults('invitation_id', invitationId));
  await invitations.withdrawInvitation(deps, { actor, invitationId, network });
  deps.logger.info({ tenant_id: actor.tenantId, invitation_id: invitationId }, 'invitation withdrawn');
  return {};
}

const TOKEN_LENGTH_MIN = 20;
const TOKEN_LENGTH_MAX = 512;
/** Password rules that do not depend on the email are checked before the token is read. */
const NO_EMAIL = '';

export async function acceptInvitation(
  deps: AccountsDeps,
  { invitationToken, password, address }: account.AcceptInvitationRequest,
  context: CallContext,
): Promise<account.AcceptInvitationResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([
    ...lengthFaults('invitation_token', invitationToken, TOKEN_LENGTH_MIN, TOKEN_LENGTH_MAX),
    ...passwordFaults('password', password, NO_EMAIL),
    ...faults,
  ]);
  const opened = await invitations.acceptInvitation(deps, { invitationToken, password, caller: callerOf(network, context) });
  deps.logger.info({ account_id: opened.accountId, tenant_id: opened.tenantId, address: network }, 'invitation accepted');
  return { opened: toProtoOpened(opened) };
}
