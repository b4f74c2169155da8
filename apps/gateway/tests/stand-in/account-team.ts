import { account } from '@market-state/contracts';
import { notFound, ServiceError } from '@market-state/errors';
import type { AccountState, StoredAccount } from './account-state';

/** Invitation token accepted every time, for a new account of the tenant `ten_1`. */
export const INVITATION_TOKEN = 'invitation-token-of-the-stand-in';

/** Id of the one pending invitation, which is never used up. */
export const PENDING_INVITATION = 'ivt_pending';

/** Calls of AccountService on members. Account checks roles again; this stand-in does not. */
export function standInTeam(state: AccountState) {
  let joined = 0;
  const invitation = { invitationId: PENDING_INVITATION, email: 'invited@example.com', role: account.MemberRole.READ_ONLY, invitedBy: '' };
  const times = () => ({ createdTsMs: state.now(), expiresTsMs: state.now() + 604_800_000 });

  const toMember = ({ accountId, email, role }: StoredAccount): account.Member => ({
    accountId,
    email,
    role,
    secondFactorEnabled: false,
    createdTsMs: state.now(),
    lastUsedTsMs: 0,
  });

  function memberOf(tenantId: string, accountId: string): StoredAccount {
    const found = [...state.accounts.values()].find((each) => each.tenantId === tenantId && each.accountId === accountId);
    if (found === undefined) throw notFound('unknown_member', 'Unknown.');
    return found;
  }

  function remove(member: StoredAccount): number {
    state.accounts.delete(member.email);
    const ended = [...state.sessions].filter(([, session]) => session.account === member);
    for (const [digestHex] of ended) state.endSession(digestHex);
    return ended.length;
  }

  return {
    listMembers: async ({ tenantId }: account.ListMembersRequest) => ({
      members: [...state.accounts.values()].filter((each) => each.tenantId === tenantId).map(toMember),
    }),
    async changeMemberRole({ tenantId, accountId, role }: account.ChangeMemberRoleRequest) {
      return { member: { ...toMember(memberOf(tenantId, accountId)), role } };
    },
    removeMember: async ({ tenantId, accountId }: account.RemoveMemberRequest) => ({
      endedSessionCount: remove(memberOf(tenantId, accountId)),
    }),
    async leaveTenant({ sessionDigest }: account.LeaveTenantRequest) {
      const found = state.sessions.get(sessionDigest.toString('hex'));
      if (found !== undefined) remove(found.account);
      return {};
    },
    inviteMember: async ({ email, role }: account.InviteMemberRequest) => ({
      invitation: { ...invitation, email, role, ...times() },
      mailToFolder: true,
    }),
    listInvitations: async () => ({ invitations: [{ ...invitation, ...times() }] }),
    async withdrawInvitation({ invitationId }: account.WithdrawInvitationRequest) {
      if (invitationId !== PENDING_INVITATION) throw notFound('unknown_invitation', 'Unknown.');
      return {};
    },
    async acceptInvitation({ invitationToken, password }: account.AcceptInvitationRequest) {
      if (invitationToken !== INVITATION_TOKEN)
        throw new ServiceError({ code: 'UNAUTHENTICATED', reason: 'invitation_refused', sentence: 'Refused.' });
      joined += 1;
      return { opened: state.openSession(state.addAccount('ten_1', `joined-${joined}@example.com`, account.MemberRole.MEMBER, password)) };
    },
  };
}
