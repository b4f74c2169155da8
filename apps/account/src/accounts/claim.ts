import { isSecret, keyDigest, parseKey, secretDigest } from '@market-state/credentials';
import { failedPrecondition, isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { grantTrial } from '../credits';
import { newId } from '../keys/id';
import { verifyKey } from '../keys/verify-key';
import { findKeyByDigest } from '../store/read-keys';
import { takeStampBack } from '../store/throttle-rows';
import { holdTenantOfName } from '../store/write-keys';
import type { AccountsDeps, OpenedSession } from './deps';
import { emailDigest } from './email';
import { enter } from './enter';
import { limitedSubject, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';

export interface ClaimOrder {
  readonly email: string;
  readonly password: string;
  /** Empty for none. */
  readonly apiKey: string;
  /** Empty for none. */
  readonly claimToken: string;
  /** As limits count it. */
  readonly network: string;
}

export interface ClaimDeps extends AccountsDeps {
  readonly allowTrials: boolean;
}

/** What a claim binds its account to. */
interface Claimed {
  readonly tenantId: string;
  readonly keyId: string | null;
}

/**
 * Makes an account in the tenant of a key or a claim token, or with neither in a new tenant with a trial, and opens its first session. Each key
 * and each token claims once; of racing claims one wins.
 * @throws ServiceError UNAUTHENTICATED with reason `claim_refused`, the same whatever is wrong; FAILED_PRECONDITION `trial_not_offered`;
 * `too_many_attempts`; `password_work_full`
 */
export async function claim(deps: ClaimDeps, order: ClaimOrder): Promise<OpenedSession> {
  const { pool, limits, clock } = deps;
  const isTrial = order.apiKey === '' && order.claimToken === '';
  if (isTrial && !deps.allowTrials) {
    throw failedPrecondition('trial_not_offered', 'Trials are not offered here: a claim needs a key or a claim token.');
  }
  const address = limitedSubject('address', order.network, limits.address);
  const trial = limitedSubject('trial', order.network, [limits.trial]);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, isTrial ? [address, trial] : [address], stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    const passwordHash = await deps.passwords.hash(order.password);
    return await inTransaction(pool, async (client) => {
      const claimed = isTrial ? await openTrial(deps, client) : await redeem(deps, client, order);
      const accountId = claimed === null ? null : await insertAccount(deps, client, claimed, order.email, passwordHash);
      const opened = accountId === null ? null : await enter(deps, client, accountId, order.network);
      if (opened === null) throw claimRefused();
      await takeStampBack(client, [address], stampMs);
      return opened;
    });
  } catch (error) {
    if (isServiceError(error, 'password_work_full')) await takeStampBack(pool, isTrial ? [address, trial] : [address], stampMs);
    else if (isTrial) await takeStampBack(pool, [trial], stampMs);
    throw error;
  }
}

/** What the key and the token open; null when one that is given opens nothing, or they open different tenants. */
async function redeem(deps: ClaimDeps, client: PoolClient, order: ClaimOrder): Promise<Claimed | null> {
  const byKey = order.apiKey === '' ? null : await redeemKey(deps, client, order.apiKey);
  if (order.claimToken === '') return byKey;
  const tenantId = await redeemToken(deps, client, order.claimToken);
  if (tenantId === null || (order.apiKey !== '' && byKey?.tenantId !== tenantId)) return null;
  return { tenantId, keyId: byKey?.keyId ?? null };
}

/** A key claims when it may do everything that its account will: a live key with scope `account`. */
async function redeemKey({ clock }: ClaimDeps, client: PoolClient, apiKey: string): Promise<Claimed | null> {
  if (parseKey(apiKey) !== 'live') return null;
  const key = await verifyKey({ findByDigest: (digest) => findKeyByDigest(client, digest), clock }, keyDigest(apiKey));
  return key?.scopes.includes('account') === true ? { tenantId: key.tenantId, keyId: key.id } : null;
}

async function redeemToken({ clock }: ClaimDeps, client: PoolClient, claimToken: string): Promise<string | null> {
  if (!isSecret(claimToken)) return null;
  const { rows } = await client.query<{ tenant_id: string }>(
    'UPDATE claim_token SET used_at = $2 WHERE digest = $1 AND used_at IS NULL AND expires_at > $2 RETURNING tenant_id',
    [secretDigest(claimToken), new Date(clock())],
  );
  return rows[0]?.tenant_id ?? null;
}

async function openTrial({ clock, randomBytes }: ClaimDeps, client: PoolClient): Promise<Claimed> {
  const tenantId = newId('ten', randomBytes);
  await holdTenantOfName(client, `trial ${tenantId}`, tenantId, clock());
  await grantTrial(client, tenantId, clock());
  return { tenantId, keyId: null };
}

/** Its id; null when the email has an account already, or the key has claimed one. */
async function insertAccount({ clock, randomBytes }: ClaimDeps, client: PoolClient, claimed: Claimed, email: string, passwordHash: string): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO account (id, tenant_id, email, email_digest, password_hash, claimed_key_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING RETURNING id`,
    [newId('acc', randomBytes), claimed.tenantId, email, emailDigest(email), passwordHash, claimed.keyId, new Date(clock())],
  );
  return rows[0]?.id ?? null;
}

function claimRefused(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'claim_refused', sentence: 'The key or claim token opens nothing, or the email has an account already.' });
}
