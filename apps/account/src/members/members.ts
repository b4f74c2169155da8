import type { MemberRole } from '@market-state/credentials';
import { failedPrecondition, notFound, type ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { AccountsDeps } from '../accounts/deps';
import { accountDigests } from '../accounts/email';
import { accountOfSession } from '../accounts/sessions';
import { writeAccountEvent } from '../store/account-events';
import { findAccountByEmail } from '../store/accounts';
import { deleteMember, findMember, lockMembers, type LockedMember, type Member, writeRole } from '../store/members';
import { deleteSessionsOf } from '../store/sessions';
import { type Actor, requireRole } from './require-role';

type MemberDeps = Pick<AccountsDeps, 'pool' | 'clock' | 'randomBytes'>;

interface MemberOrder {
  readonly actor: Actor;
  readonly accountId: string;
  readonly network: string;
}

/** @throws ServiceError `unknown_member`; `last_owner`; `unauthenticated`; `insufficient_role` */
export function changeRole(deps: MemberDeps, { actor, accountId, network }: MemberOrder, role: MemberRole): Promise<Member> {
  const { tenantId, digest: credentialDigest } = actor;
  return inTransaction(deps.pool, async (client) => {
    const members = await lockMembers(client, tenantId);
    await requireRole(client, actor, 'owner', deps.clock());
    const member = memberOf(members, accountId);
    if (role !== 'owner') refuseLastOwner(members, member);
    if (role !== member.role) {
      await writeRole(client, accountId, role);
      const subject = { subjectId: accountId, subjectEmail: member.email, role };
      await writeAccountEvent(client, { tenantId, kind: 'member_role_changed', credentialDigest, ...subject, network }, deps);
    }
    const changed = await findMember(client, accountId, deps.clock());
    if (changed === null) throw unknownMember();
    return changed;
  });
}

/**
 * Deletes the account, which ends its sessions and frees its email.
 * @returns number of ended sessions
 * @throws ServiceError `unknown_member`; `last_owner`; `unauthenticated`; `insufficient_role`
 */
export function removeMember(deps: MemberDeps, { actor, accountId, network }: MemberOrder): Promise<number> {
  const { tenantId, digest: credentialDigest } = actor;
  return inTransaction(deps.pool, async (client) => {
    const members = await lockMembers(client, tenantId);
    await requireRole(client, actor, 'owner', deps.clock());
    const member = memberOf(members, accountId);
    refuseLastOwner(members, member);
    const subject = { subjectId: accountId, subjectEmail: member.email };
    await writeAccountEvent(client, { tenantId, kind: 'member_removed', credentialDigest, ...subject, network }, deps);
    const endedSessions = await deleteSessionsOf(client, accountId);
    await deleteMember(client, accountId);
    return endedSessions;
  });
}

/**
 * Deletes the account of a session.
 * @throws ServiceError `unauthenticated`; `last_owner`
 */
export function leaveTenant(
  deps: MemberDeps,
  sessionDigest: Uint8Array,
  network: string,
): Promise<{ readonly tenantId: string; readonly accountId: string }> {
  return inTransaction(deps.pool, async (client) => {
    const { tenantId, id: accountId } = await accountOfSession(client, sessionDigest, deps.clock());
    const members = await lockMembers(client, tenantId);
    refuseLastOwner(members, memberOf(members, accountId));
    await writeAccountEvent(client, { tenantId, accountId, kind: 'member_left', network }, deps);
    await deleteMember(client, accountId);
    return { tenantId, accountId };
  });
}

/** For an operator. @throws ServiceError `unknown_member` */
export function makeOwner(deps: MemberDeps, email: string): Promise<{ readonly tenantId: string; readonly accountId: string }> {
  return inTransaction(deps.pool, async (client) => {
    const account = await findAccountByEmail(client, accountDigests(email));
    if (account === null) throw unknownMember();
    const { id: accountId, tenantId } = account;
    const member = memberOf(await lockMembers(client, tenantId), accountId);
    if (member.role !== 'owner') {
      await writeRole(client, accountId, 'owner');
      const subject = { subjectId: accountId, subjectEmail: member.email, role: 'owner' as const };
      await writeAccountEvent(client, { tenantId, kind: 'member_role_changed', ...subject }, deps);
    }
    return { accountId, tenantId };
  });
}

function memberOf(members: readonly LockedMember[], accountId: string): LockedMember {
  const member = members.find(({ id }) => id === accountId);
  if (member === undefined) throw unknownMember();
  return member;
}

function refuseLastOwner(members: readonly LockedMember[], { id, role }: LockedMember): void {
  if (role === 'owner' && !members.some((other) => other.role === 'owner' && other.id !== id))
    throw failedPrecondition('last_owner', 'This is the only owner of the team. Make another member an owner first.');
}

function unknownMember(): ServiceError {
  return notFound('unknown_member', 'There is no such member.');
}
