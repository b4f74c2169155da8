import { displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyKind } from '@market-state/credentials';
import type { Queryable } from '../store/queryable';
import { findPlan } from '@market-state/pricing';
import { countActiveKeys, insertKey, writeSecret } from '../store/write-keys';
import { newId } from './id';
import type { KeyScope, StoredKey } from './key';

/** Active keys that a tenant without a plan may have. */
const ACTIVE_KEYS_MAX = 20;

/** What is asked of a new key. */
export interface KeyOrder {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly KeyScope[];
  /** Milliseconds since the epoch; null: no end. */
  readonly expiresTsMs: number | null;
  /** The call that asks, the same on every try; null: every call makes a key. */
  readonly operationId: string | null;
}

export interface MadeKey {
  /** The whole key: told once, kept nowhere. */
  readonly key: string;
  readonly stored: StoredKey;
}

export interface MakeDeps {
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Makes a key for a tenant whose row the transaction holds; null when the tenant has as many active keys as it may. */
export async function makeKey(deps: MakeDeps, db: Queryable, tenantId: string, order: KeyOrder): Promise<MadeKey | null> {
  const nowMs = deps.clock();
  const { total, planId } = await countActiveKeys(db, tenantId, nowMs);
  if (total >= (findPlan(planId ?? '')?.limits.activeKeys ?? ACTIVE_KEYS_MAX)) return null;
  const { key, ...secret } = newSecret(deps, order.kind);
  const { name, kind, scopes, expiresTsMs, operationId } = order;
  const stored: StoredKey = { id: newId('key', deps.randomBytes), tenantId, name, kind, scopes, ...secret, createdTsMs: nowMs, expiresTsMs, revokedTsMs: null, lastUsedTsMs: null, operationId };
  await insertKey(db, stored);
  return { key, stored };
}

/** Gives a key another secret; the one before opens nothing any more. In the transaction that holds the key. */
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
