import { isSecret, keyDigest, parseKey, secretDigest } from '@market-state/credentials';
import type { PoolClient } from 'pg';
import { grantTrial } from '../credits';
import { newId } from '../keys/id';
import { verifyKey } from '../keys/verify-key';
import { useClaimToken } from '../store/claim-tokens';
import { findKeyByDigest } from '../store/keys';
import { lockTenant, lockTenantOfName } from '../store/tenants';
import type { AccountsDeps } from './deps';
import { useEmailClaim } from './email-claim';

/** What comes with a claim; a key and a token are empty where there is none. */
export interface ClaimProofs {
  readonly email: string;
  readonly apiKey: string;
  readonly claimToken: string;
}

/** What a claim binds its account to. */
export interface Claimed {
  readonly tenantId: string;
  readonly keyId: string | null;
  /** Whether the claim shows that its sender reads the email. */
  readonly isEmailVerified: boolean;
}

type RedeemDeps = Pick<AccountsDeps, 'clock' | 'randomBytes'>;

/**
 * What the key and the token open, used up in the caller's transaction: the tenant of the key or of an operator's token, else a new one
 * with a trial. Null when one that is given opens nothing, or they open different tenants.
 */
export async function redeem(deps: RedeemDeps, client: PoolClient, { email, apiKey, claimToken }: ClaimProofs): Promise<Claimed | null> {
  const byKey = apiKey === '' ? null : await redeemKey(deps, client, apiKey);
  if (apiKey !== '' && byKey === null) return null;
  if (claimToken === '') return byKey ?? openTrial(deps, client);
  if (await useEmailClaim(client, claimToken, email, deps.clock()))
    return { ...(byKey ?? (await openTrial(deps, client))), isEmailVerified: true };
  const tenantId = await redeemToken(deps, client, claimToken);
  if (tenantId === null || (byKey !== null && byKey.tenantId !== tenantId)) return null;
  return { tenantId, keyId: byKey?.keyId ?? null, isEmailVerified: false };
}

/** A key claims when it may do everything that its account will: a live key with scope `account`. */
async function redeemKey({ clock }: RedeemDeps, client: PoolClient, apiKey: string): Promise<Claimed | null> {
  if (parseKey(apiKey) !== 'live') return null;
  const keys = { findByDigest: (digest: Uint8Array) => findKeyByDigest(client, digest), clock };
  const found = await verifyKey(keys, keyDigest(apiKey));
  // A reset that revokes the tenant's keys holds the tenant: the key is read again when that is over.
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
