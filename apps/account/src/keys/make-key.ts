import { newId, displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyKind } from '@market-state/credentials';
import { resourceExhausted } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { findPlan } from '@market-state/pricing';
import type { Ceiling } from '../credits/credit-ledger';
import { countActiveKeys, insertKey, writeSecret } from '../store/keys';
import { type KeyScope, type StoredKey, type KeyRate } from './key';
import type { AccountDeps } from '../deps';

export interface KeyOrder {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly KeyScope[];
  readonly expiresTsMs: number | null;
  readonly operationId: string | null;
  readonly ceiling: Ceiling | null;
  /** Null: plan limit only. `keyId` null: the new key is counted by itself. */
  readonly rate: (Omit<KeyRate, 'keyId'> & { readonly keyId: string | null }) | null;
}

export interface MadeKey {
  readonly key: string;
  readonly stored: StoredKey;
}

type MakeDeps = Pick<AccountDeps, 'clock' | 'randomBytes'>;

const KEYS_MAX_WITHOUT_PLAN = 20;

/**
 * The transaction must lock the tenant.
 * @throws ServiceError `too_many_keys` at the plan's maximum of active keys
 */
export async function makeKey(deps: MakeDeps, db: Queryable, tenantId: string, order: KeyOrder): Promise<MadeKey> {
  const nowMs = deps.clock();
  const { total, planId } = await countActiveKeys(db, tenantId, nowMs);
  const plan = findPlan(planId ?? '');
  const keysMax = plan?.limits.activeKeys ?? KEYS_MAX_WITHOUT_PLAN;
  if (total >= keysMax) {
    throw resourceExhausted(
      'too_many_keys',
      `The ${plan === undefined ? 'tenant' : `plan ${plan.planId}`} is limited to ${keysMax} active keys. Revoke one first.`,
    );
  }
  const { key, ...secret } = newSecret(deps, order.kind);
  const { name, kind, scopes, expiresTsMs, operationId, ceiling, rate } = order;
  const id = newId('key', deps.randomBytes);
  const stored: StoredKey = {
    id,
    tenantId,
    name,
    kind,
    scopes,
    ...secret,
    createdTsMs: nowMs,
    expiresTsMs,
    revokedTsMs: null,
    lastUsedTsMs: null,
    operationId,
    ceiling,
    rate: rate === null ? null : { ...rate, keyId: rate.keyId ?? id },
  };
  await insertKey(db, stored);
  return { key, stored };
}

/** The previous secret stops working. The transaction must lock the key. */
export async function renewSecret(deps: MakeDeps, db: Queryable, stored: StoredKey): Promise<MadeKey> {
  const { key, ...secret } = newSecret(deps, stored.kind);
  const renewed = { ...stored, ...secret };
  await writeSecret(db, renewed);
  return { key, stored: renewed };
}

function newSecret({ randomBytes }: MakeDeps, kind: KeyKind): Pick<StoredKey, 'digest' | 'display'> & { readonly key: string } {
  const key = formatKey(kind, randomBytes(KEY_RANDOM_SIZE_BYTES));
  return { key, digest: keyDigest(key), display: displayParts(key) };
}
