import { formatSecret, isSecret, type MemberRole, newId, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { invalidArgument, isServiceError, notFound, resourceExhausted, type ServiceError, unauthenticated } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitedSubject, networkSubjects, takeAttempt, tooManyAttempts } from '../accounts/attempts';
import type { AccountsDeps, OpenedSession } from '../accounts/deps';
import { accountDigests, emailDigest } from '../accounts/email';
import { passwordFaults } from '../accounts/password-rules';
import { type PasswordCaller, refuseWhoHasLeft } from '../accounts/password-work';
import { openAccountSession } from '../accounts/sessions';
import { addMail } from '../mail/outbox';
import { writeAccountEvent } from '../store/account-events';
import { findAccountByEmail, insertAccount } from '../store/accounts';
import * as store from '../store/invitations';
import { listMembers } from '../store/members';
import { lockTenant } from '../store/tenants';
import { takeStampBack } from '../store/throttles';
import { type Actor, requireRole } from './require-role';

export const INVITATION_LIFE_DAYS = 7;

/** Members and pending invitations of a tenant. */
const MEMBERS_MAX = 100;

/** The caller's transaction must lock the tenant. */
export async function hasRoomForMember(db: Queryable, tenantId: string, nowMs: number): Promise<boolean> {
  const [members, invitations] = [await listMembers(db, tenantId, nowMs), await store.listInvitations(db, tenantId, nowMs)];
  return members.length + invitations.length < MEMBERS_MAX;
}

interface InviteOrder {
  readonly actor: Actor;
  readonly email: string;
  readonly role: MemberRole;
  readonly network: string;
}

/**
 * Queues a mail. Neither the answer nor its timing reveals whether the email has an account of another tenant: sending
 * the mail looks that up.
 * @throws ServiceError `unauthenticated`; `insufficient_role`; INVALID_ARGUMENT; `too_many_attempts`; `too_many_members`
 */
export function inviteMember(deps: AccountsDeps, { actor, email, role, network }: InviteOrder): Promise<store.Invitation> {
  const { limits, randomBytes } = deps;
  const { tenantId, digest: credentialDigest } = actor;
  return inTransaction(deps.pool, async (client) => {
    // A takeover of the tenant withdraws its invitations while it holds this lock.
    await lockTenant(client, tenantId);
    const nowMs = deps.clock();
    await requireRole(client, actor, 'owner', nowMs);
    const digest = emailDigest(email);
    const members = await listMembers(client, tenantId, nowMs);
    if (members.some((member) => emailDigest(member.email).equals(digest)))
      throw invalidArgument([{ field: 'email', message: 'is the email of a member', type: 'is_member' }]);
    const others = (await store.listInvitations(client, tenantId, nowMs)).filter((other) => !emailDigest(other.email).equals(digest));
    if (members.length + others.length >= MEMBERS_MAX)
      throw resourceExhausted('too_many_members', `A team has at most ${MEMBERS_MAX} members and invitations. Remove one first.`);
    const waitMs = await takeAttempt(client, [limitedSubject('invitation', tenantId, limits.invitation)], nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const expiresTsMs = nowMs + INVITATION_LIFE_DAYS * 86_400_000;
    const terms = { id: newId('ivt', randomBytes), tenantId, email, emailDigest: digest, role, createdTsMs: nowMs, expiresTsMs };
    const id = await store.saveInvitation(client, { ...terms, credentialDigest });
    const recipient = limitedSubject('invitation_email', digest.toString('hex'), limits.invitationEmail);
    if ((await takeAttempt(client, [recipient], nowMs)) === 0)
      await addMail(client, 'invitation', email, { nowMs, randomBytes, invitationId: id });
    const subject = { subjectId: id, subjectEmail: email, role };
    await writeAccountEvent(client, { tenantId, kind: 'member_invited', credentialDigest, ...subject, network }, deps);
    const invitation = await store.findInvitation(client, { id }, nowMs);
    if (invitation === null) throw unknownInvitation();
    return invitation;
  });
}

/** @throws ServiceError `unknown_invitation`; `unauthenticated`; `insufficient_role` */
export function withdrawInvitation(
  deps: AccountsDeps,
  { actor, invitationId, network }: { readonly actor: Actor; readonly invitationId: string; readonly network: string },
): Promise<void> {
  const { tenantId, digest: credentialDigest } = actor;
  return inTransaction(deps.pool, async (client) => {
    await requireRole(client, actor, 'owner', deps.clock());
    const subjectEmail = await store.deleteInvitation(client, tenantId, invitationId, deps.clock());
    if (subjectEmail === null) throw unknownInvitation();
    const subject = { subjectId: invitationId, subjectEmail };
    await writeAccountEvent(client, { tenantId, kind: 'invitation_withdrawn', credentialDigest, ...subject, network }, deps);
  });
}

/** Replaces the token of an earlier try. Only the digest is stored. */
export async function createInvitationToken(
  db: Queryable,
  invitationId: string,
  deps: { readonly randomBytes: (size: number) => Uint8Array },
): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  await store.setInvitationToken(db, invitationId, secretDigest(token));
  return token;
}

export async function findInvitationByToken(db: Queryable, token: string, nowMs: number): Promise<store.Invitation | null> {
  return isSecret(token) ? store.findInvitation(db, { digest: secretDigest(token) }, nowMs) : null;
}

interface AcceptOrder {
  readonly invitationToken: string;
  readonly password: string;
  readonly caller: PasswordCaller;
}

/**
 * Creates the invited account, whose email the token verifies, and opens its first session.
 * @throws ServiceError `invitation_refused`; INVALID_ARGUMENT, which keeps the token valid; `too_many_attempts`;
 * `password_work_full`
 */
export async function acceptInvitation(deps: AccountsDeps, { invitationToken, password, caller }: AcceptOrder): Promise<OpenedSession> {
  const { pool, limits, clock } = deps;
  const addresses = networkSubjects('address', caller.network, limits.address);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, addresses, stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    const invitation = await findInvitationByToken(pool, invitationToken, clock());
    if (invitation === null) throw invitationRefused();
    const { tenantId, email, role } = invitation;
    const faults = passwordFaults('password', password, email);
    if (faults.length > 0) throw invalidArgument(faults);
    const passwordHash = await deps.passwords.hash(password, { ...caller, isKnown: true });
    return await inTransaction(pool, async (client) => {
      await lockTenant(client, tenantId);
      if (!(await store.useInvitation(client, secretDigest(invitationToken), clock()))) throw invitationRefused();
      // An account of an earlier release may have another digest of the same email.
      if ((await findAccountByEmail(client, accountDigests(email))) !== null) throw invitationRefused();
      const account = { id: newId('acc', deps.randomBytes), tenantId, email, emailDigest: emailDigest(email), passwordHash };
      const facts = { claimedKeyId: null, createdTsMs: clock(), isEmailVerified: true, invitedRole: role };
      if (!(await insertAccount(client, { ...account, ...facts }))) throw invitationRefused();
      const opened = await openAccountSession(deps, client, account.id, caller.network);
      if (opened === null) throw invitationRefused();
      const event = { tenantId, accountId: account.id, kind: 'member_joined' as const, role, network: caller.network };
      await writeAccountEvent(client, event, deps);
      await takeStampBack(client, addresses, stampMs);
      refuseWhoHasLeft(caller);
      return opened;
    });
  } catch (error) {
    if (!isServiceError(error, 'invitation_refused')) await takeStampBack(pool, addresses, stampMs);
    throw error;
  }
}

function invitationRefused(): ServiceError {
  return unauthenticated(
    'invitation_refused',
    'The invitation is invalid: it was used, withdrawn, replaced by a newer one, or has expired, or its email has an account.',
  );
}

function unknownInvitation(): ServiceError {
  return notFound('unknown_invitation', 'There is no such pending invitation.');
}
