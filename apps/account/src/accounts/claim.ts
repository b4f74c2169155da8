import { newId, isSecret, keyDigest, parseKey, secretDigest } from '@market-state/credentials';
import { failedPrecondition, isServiceError, type ServiceError, unauthenticated } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { grantTrial } from '../credits/grants';
import { verifyKey } from '../keys/key';
import { addMail } from '../mail/outbox';
import * as store from '../store/accounts';
import { useClaimToken } from '../store/claim-tokens';
import { findKeyByDigest } from '../store/keys';
import { lockTenant, lockTenantOfName } from '../store/tenants';
import { takeStampBack } from '../store/throttles';
import { networkSubjects, takeAttempt, limitedSubject, type LimitedSubject, tooManyAttempts, readWait } from './attempts';
import { isEmailClaim, useEmailClaim } from './claim-tokens';
import type { AccountsDeps, OpenedSession } from './deps';
import { emailDigest } from './email';
import type { AccountLimits } from './limits';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';
import { openAccountSession } from './sessions';

interface ClaimProofs {
  readonly email: string;
  readonly apiKey: string;
  readonly claimToken: string;
}

export interface Claimed {
  readonly tenantId: string;
  readonly keyId: string | null;
  /** True if the claim proves access to the mailbox. */
  readonly isEmailVerified: boolean;
}

export interface ClaimOrder extends ClaimProofs {
  readonly password: string;
  readonly caller: PasswordCaller;
}

export interface ClaimDeps extends AccountsDeps {
  readonly allowTrials: boolean;
  readonly verifiesEmails: boolean;
}

/**
 * Creates an account in the tenant of the key or operator token, or in a new trial tenant, and opens its first session.
 * Keys and tokens claim once, even in a race.
 * @returns null if the email must be verified first: a mail is queued whether or not it has an account
 * @throws ServiceError `claim_refused` for every cause; `trial_not_offered`; `too_many_attempts`; `too_many_trials`;
 * `password_work_full`
 */
export async function claim(deps: ClaimDeps, order: ClaimOrder): Promise<OpenedSession | null> {
  const { pool, limits, clock } = deps;
  const { network } = order.caller;
  if (deps.verifiesEmails && order.apiKey === '' && order.claimToken === '') {
    refuseWithoutTrials(deps);
    await requestClaimMail(deps, order.email, network);
    return null;
  }
  const isTrial = order.apiKey === '' && (order.claimToken === '' || (await isEmailClaim(pool, order.claimToken, order.email, clock())));
  if (isTrial) refuseWithoutTrials(deps);
  const addresses = networkSubjects('address', network, limits.address);
  const isKeyAlone = order.apiKey !== '' && order.claimToken === '';
  const byKey = deps.verifiesEmails && isKeyAlone ? await keyClaimSubjects(deps, order.apiKey, network) : { address: [], tenant: [] };
  const trials = isTrial ? trialSubjects(limits, network) : [];
  const stampMs = clock();
  await inTransaction(pool, async (client) => {
    const waitMs = await takeAttempt(client, [...addresses, ...byKey.address, ...byKey.tenant], stampMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const trialWaitMs = await takeAttempt(client, trials, stampMs);
    if (trialWaitMs > 0) throw tooManyAttempts(trialWaitMs, 'too_many_trials');
  });
  try {
    const passwordHash = await deps.passwords.hash(order.password, order.caller);
    return await inTransaction(pool, async (client) => {
      const claimed = await redeem(deps, client, order);
      const accountId = claimed === null ? null : await insertAccount(deps, client, claimed, order.email, passwordHash);
      const opened = accountId === null ? null : await openAccountSession(deps, client, accountId, network);
      if (opened === null) throw claimRefused();
      await takeStampBack(client, [...addresses, ...byKey.tenant], stampMs);
      refuseWhoHasLeft(order.caller);
      return opened;
    });
  } catch (error) {
    await takeStampBack(
      pool,
      isServiceError(error, 'password_work_full') ? [...addresses, ...byKey.address, ...byKey.tenant, ...trials] : trials,
      stampMs,
    );
    // Notify the owner of an existing account: somebody, perhaps the owner, tried to claim its email.
    if (isTrial && isServiceError(error, 'claim_refused')) await inTransaction(pool, (client) => writeToEmail(deps, client, order.email));
    throw error;
  }
}

function refuseWithoutTrials({ allowTrials }: Pick<ClaimDeps, 'allowTrials'>): void {
  if (!allowTrials) throw failedPrecondition('trial_not_offered', 'Trials are not available here. Claim with a key or a claim token.');
}

/** Null if the email already has an account or the key has claimed one. */
async function insertAccount(
  { clock, randomBytes }: ClaimDeps,
  client: PoolClient,
  claimed: Claimed,
  email: string,
  passwordHash: string,
): Promise<string | null> {
  const id = newId('acc', randomBytes);
  const createdTsMs = clock();
  const account = { id, email, emailDigest: emailDigest(email), passwordHash, claimedKeyId: claimed.keyId, createdTsMs };
  const { tenantId, isEmailVerified } = claimed;
  return (await store.insertAccount(client, { ...account, tenantId, isEmailVerified, invitedRole: null })) ? id : null;
}

function claimRefused(): ServiceError {
  return unauthenticated('claim_refused', 'The key or claim token is invalid, or the email already has an account.');
}

function trialSubjects(limits: AccountLimits, network: string): LimitedSubject[] {
  return [...networkSubjects('trial', network, [limits.trial]), limitedSubject('trial_total', '', [limits.trialTotal])];
}

/**
 * Queues a mail. Neither the answer nor its timing reveals whether the email has an account.
 * @throws ServiceError `too_many_attempts` or `too_many_trials`, by address or in total, never by email
 */
async function requestClaimMail(deps: AccountsDeps, email: string, network: string): Promise<void> {
  const { pool, limits, clock } = deps;
  await inTransaction(pool, async (client) => {
    const nowMs = clock();
    const waitMs = await takeAttempt(client, networkSubjects('claim_address', network, [limits.claimAddress]), nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    // Checked for every email alike, with or without an account.
    const trialWaitMs = await readWait(client, [...trialSubjects(limits, network), mailTotal(limits)], nowMs);
    if (trialWaitMs > 0) throw tooManyAttempts(trialWaitMs, 'too_many_trials');
    await writeToEmail(deps, client, email);
  });
}

/** Sends nothing once this email, or all emails together, reached the limit. */
async function writeToEmail(
  { limits, clock, randomBytes }: Pick<AccountsDeps, 'limits' | 'clock' | 'randomBytes'>,
  client: PoolClient,
  email: string,
): Promise<void> {
  const nowMs = clock();
  const share = limitedSubject('claim_email', emailDigest(email).toString('hex'), limits.claimEmail);
  if ((await takeAttempt(client, [share], nowMs)) > 0) return;
  // A single row shared by all callers, so it is locked last.
  if ((await takeAttempt(client, [mailTotal(limits)], nowMs)) === 0) await addMail(client, 'claim', email, { nowMs, randomBytes });
}

function mailTotal({ claimMailTotal }: Pick<AccountLimits, 'claimMailTotal'>): LimitedSubject {
  return limitedSubject('claim_mail_total', '', [claimMailTotal]);
}

interface KeyClaimSubjects {
  readonly address: readonly LimitedSubject[];
  /** Counted for refused claims only: otherwise a tenant's keys could be used to probe which emails have accounts. */
  readonly tenant: readonly LimitedSubject[];
}

/** A malformed key belongs to no tenant, which reveals nothing about emails. */
async function keyClaimSubjects(
  { pool, limits }: Pick<AccountsDeps, 'pool' | 'limits'>,
  apiKey: string,
  network: string,
): Promise<KeyClaimSubjects> {
  const key = parseKey(apiKey) === null ? null : await findKeyByDigest(pool, keyDigest(apiKey));
  return {
    address: networkSubjects('claim_key_address', network, [limits.claimKey]),
    tenant: key === null ? [] : [limitedSubject('claim_key_tenant', key.tenantId, [limits.claimKey])],
  };
}

type RedeemDeps = Pick<AccountsDeps, 'clock' | 'randomBytes'>;

async function redeem(deps: RedeemDeps, client: PoolClient, { email, apiKey, claimToken }: ClaimProofs): Promise<Claimed | null> {
  const byKey = apiKey === '' ? null : await redeemKey(deps, client, apiKey);
  if (apiKey !== '' && byKey === null) return null;
  if (claimToken === '') return byKey ?? openTrial(deps, client);
  if (await useEmailClaim(client, claimToken, email, deps.clock()))
    return { ...(byKey ?? (await openTrial(deps, client))), isEmailVerified: true };
  const tenantId = await redeemToken(deps, client, claimToken);
  if (tenantId === null || (byKey !== null && byKey.tenantId !== tenantId)) return null;
  return { tenantId, keyId: byKey?.keyId ?? null, isEmailVerified: false };
}

/** A key needs the rights its account will have: live, with scope `account`. */
async function redeemKey({ clock }: RedeemDeps, client: PoolClient, apiKey: string): Promise<Claimed | null> {
  if (parseKey(apiKey) !== 'live') return null;
  const keys = { findByDigest: (digest: Uint8Array) => findKeyByDigest(client, digest), clock };
  const found = await verifyKey(keys, keyDigest(apiKey));
  // A reset that revokes the tenant's keys locks the tenant, so read the key again after the lock.
  if (found === null || !(await lockTenant(client, found.tenantId))) return null;
  const key = await verifyKey(keys, keyDigest(apiKey));
  return key?.scopes.includes('account') === true ? { tenantId: key.tenantId, keyId: key.id, isEmailVerified: false } : null;
}

async function redeemToken({ clock }: RedeemDeps, client: PoolClient, claimToken: string): Promise<string | null> {
  return isSecret(claimToken) ? useClaimToken(client, secretDigest(claimToken), clock()) : null;
}

async function openTrial({ clock, randomBytes }: RedeemDeps, client: PoolClient): Promise<Claimed> {
  const tenantId = newId('ten', randomBytes);
  await lockTenantOfName(client, `trial ${tenantId}`, tenantId, clock());
  await grantTrial(client, tenantId, clock());
  return { tenantId, keyId: null, isEmailVerified: false };
}
