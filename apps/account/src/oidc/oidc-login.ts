import { createHmac } from 'node:crypto';
import { formatSecret, isSecret, newId, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { failedPrecondition, isServiceError, type ServiceError, unauthenticated } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { networkSubjects, takeAttempt, tooManyAttempts } from '../accounts/attempts';
import type { AccountsDeps, OpenedSession } from '../accounts/deps';
import { accountDigests, domainOf, emailDigest, emailFaults } from '../accounts/email';
import { type PasswordCaller, refuseWhoHasLeft } from '../accounts/password-work';
import { openAccountSession } from '../accounts/sessions';
import { hasRoomForMember } from '../members/invitations';
import { listRemovedEmails, writeAccountEvent } from '../store/account-events';
import { findAccountByEmail, findAccount, findTenantOfUnverified, insertAccount } from '../store/accounts';
import { useInvitationOfEmail } from '../store/invitations';
import * as store from '../store/oidc';
import { findSecondFactor } from '../store/second-factors';
import { findTenantByName, lockTenant } from '../store/tenants';
import { takeStampBack } from '../store/throttles';
import type { LoginChecks, OidcProvider } from './provider';

const LOGIN_LIFE_MS = 10 * 60_000;

interface StartedLogin {
  readonly authorizationUrl: string;
  /** For a cookie of the browser; only its digest is stored. */
  readonly secret: string;
  readonly expiresTsMs: number;
}

/** @throws ServiceError `oidc_off`; `oidc_unavailable`; `too_many_attempts` */
export async function beginOidcLogin(deps: AccountsDeps, network: string): Promise<StartedLogin> {
  const { pool, limits, clock, randomBytes } = deps;
  const provider = requireProvider(deps);
  const addresses = networkSubjects('oidc_address', network, [limits.oidcAddress]);
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, addresses, clock()));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  const secret = formatSecret(randomBytes(SECRET_SIZE_BYTES));
  const authorizationUrl = await provider.authorizationUrl(checksOf(secret));
  const expiresTsMs = clock() + LOGIN_LIFE_MS;
  await store.insertOidcLogin(pool, secretDigest(secret), expiresTsMs);
  return { authorizationUrl, secret, expiresTsMs };
}

/** The state and nonce in addresses and tokens don't reveal the verifier. */
function checksOf(secret: string): LoginChecks {
  const derived = (purpose: string): string => createHmac('sha256', secret).update(purpose).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('verifier') };
}

interface FinishOrder {
  readonly secret: string;
  readonly query: string;
  readonly caller: PasswordCaller;
}

/** Person whose email the provider has verified. */
interface Person {
  readonly identity: store.OidcIdentity;
  readonly email: string;
}

/**
 * Counts as a failed login of the address, unless it succeeds or fails for a cause that is not the caller's.
 * @throws ServiceError `oidc_expired`; `oidc_denied`; `oidc_refused`; `second_factor_required`; `oidc_unavailable`; `oidc_off`;
 * `too_many_attempts`; `password_work_full`
 */
export async function finishOidcLogin(deps: AccountsDeps, { secret, query, caller }: FinishOrder): Promise<OpenedSession> {
  const { pool, limits, clock } = deps;
  const provider = requireProvider(deps);
  const addresses = networkSubjects('address', caller.network, limits.address);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, addresses, stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    const person = await identify(deps, provider, secret, query);
    const passwordHash = await hashForNewcomer(deps, provider, person, caller);
    return await inTransaction(pool, async (client) => {
      const accountId =
        (await findAccountOf(deps, client, person)) ??
        (passwordHash === null ? null : await join(deps, provider, client, person, passwordHash, caller.network));
      const account = accountId === null ? null : await findAccount(client, accountId, true);
      if (account === null) throw loginRefused('no account');
      if ((await findSecondFactor(client, account.id))?.isConfirmed === true) throw secondFactorRequired();
      const opened = await openAccountSession(deps, client, account.id, caller.network);
      if (opened === null) throw loginRefused('the tenant is disabled');
      const { tenantId } = opened;
      const event = { tenantId, accountId: account.id, kind: 'login', method: 'oidc', network: caller.network } as const;
      await writeAccountEvent(client, event, deps);
      await takeStampBack(client, addresses, stampMs);
      refuseWhoHasLeft(caller);
      return opened;
    });
  } catch (error) {
    if (!isServiceError(error) || !COUNTED.has(error.reason)) await takeStampBack(pool, addresses, stampMs);
    throw error;
  }
}

const COUNTED: ReadonlySet<string> = new Set(['oidc_expired', 'oidc_denied', 'oidc_refused']);

async function identify({ pool, clock }: AccountsDeps, provider: OidcProvider, secret: string, query: string): Promise<Person> {
  const checks = checksOf(secret);
  // Compared first, so that a link from elsewhere does not end a login that was started in this browser.
  const isOwnState = new URLSearchParams(query).get('state') === checks.state;
  if (!isSecret(secret) || !isOwnState || !(await store.useOidcLogin(pool, secretDigest(secret), clock()))) throw loginExpired();
  const { verifiedEmail, ...identity } = await provider.identify(query, checks);
  if (verifiedEmail === null || emailFaults('email', verifiedEmail).length > 0)
    throw loginRefused('the provider has not verified an email');
  return { identity, email: verifiedEmail };
}

/** @throws ServiceError `oidc_refused` if the account of the email cannot be linked */
async function findAccountOf({ clock }: AccountsDeps, db: Queryable, { identity, email }: Person): Promise<string | null> {
  const linked = await store.findAccountOfIdentity(db, identity);
  if (linked !== null) return linked;
  const account = await findAccountByEmail(db, accountDigests(email));
  if (account === null) return null;
  // An impostor may have claimed it without its mailbox, and knows its password.
  if ((await findTenantOfUnverified(db, account.id)) !== null) throw loginRefused('the email of the account is not verified');
  await store.linkIdentity(db, identity, account.id, clock());
  if ((await store.findAccountOfIdentity(db, identity)) !== account.id) throw loginRefused('the account is linked to another subject');
  return account.id;
}

/** A hash that no password fits, for a person who may join; null for others. */
async function hashForNewcomer(
  deps: AccountsDeps,
  { newcomers }: OidcProvider,
  person: Person,
  caller: PasswordCaller,
): Promise<string | null> {
  const domain = domainOf(person.email);
  if (newcomers === null || !newcomers.domains.some((allowed) => domainOf(`@${allowed}`) === domain)) return null;
  const { pool } = deps;
  const isKnown =
    (await store.findAccountOfIdentity(pool, person.identity)) !== null ||
    (await findAccountByEmail(pool, accountDigests(person.email))) !== null;
  const password = Buffer.from(deps.randomBytes(SECRET_SIZE_BYTES)).toString('hex');
  return isKnown ? null : deps.passwords.hash(password, { ...caller, isKnown: true });
}

/** Creates a member of the configured tenant; its pending invitation gives the role, otherwise it is `read_only`. */
async function join(
  deps: AccountsDeps,
  { newcomers }: OidcProvider,
  db: Queryable,
  { identity, email }: Person,
  passwordHash: string,
  network: string,
): Promise<string | null> {
  const tenantId = await findTenantByName(db, newcomers?.tenantName ?? '');
  if (tenantId === null) {
    deps.logger.error({ tenant: newcomers?.tenantName }, 'the tenant named by OIDC_TENANT does not exist');
    return null;
  }
  await lockTenant(db, tenantId);
  const already = await findAccountOf(deps, db, { identity, email });
  if (already !== null) return already;
  const nowMs = deps.clock();
  const digest = emailDigest(email);
  const invited = await useInvitationOfEmail(db, tenantId, digest, nowMs);
  if (invited === null) {
    const removed = await listRemovedEmails(db, tenantId);
    if (removed.some((other) => emailDigest(other).equals(digest))) throw loginRefused('an owner removed the member');
    if (!(await hasRoomForMember(db, tenantId, nowMs))) throw loginRefused('the team is full');
  }
  const role = invited ?? 'read_only';
  const account = { id: newId('acc', deps.randomBytes), tenantId, email, emailDigest: digest, passwordHash };
  const facts = { claimedKeyId: null, createdTsMs: nowMs, isEmailVerified: true, invitedRole: role };
  if (!(await insertAccount(db, { ...account, ...facts }))) return null;
  await store.linkIdentity(db, identity, account.id, nowMs);
  await writeAccountEvent(db, { tenantId, accountId: account.id, kind: 'member_joined', role, network }, deps);
  return account.id;
}

function requireProvider({ oidc }: AccountsDeps): OidcProvider {
  if (oidc === null) throw failedPrecondition('oidc_off', 'This installation has no login provider.');
  return oidc;
}

/** The provider may not have asked for a second factor, and the account's owner wants one. */
function secondFactorRequired(): ServiceError {
  return unauthenticated('second_factor_required', 'This account has two-factor authentication. Log in with email, password and code.');
}

function loginExpired(): ServiceError {
  return unauthenticated('oidc_expired', 'The login was used already, has expired or began in another browser.');
}

/** The same for every cause, which goes to the log. */
function loginRefused(detail: string): ServiceError {
  return unauthenticated('oidc_refused', 'There is no account for this login, or its email is not verified.', { detail });
}
