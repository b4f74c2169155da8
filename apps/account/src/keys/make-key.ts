import { displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyKind } from '@market-state/credentials';
import type { Queryable } from '../store/queryable';
import { countActiveKeys, insertKey } from '../store/write-keys';
import { newId } from './id';
import { ACTIVE_KEYS_MAX, type KeyScope, type StoredKey } from './key';

/** What is asked of a new key. */
export interface KeyOrder {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly KeyScope[];
  /** Milliseconds since the epoch; null: no end. */
  readonly expiresTsMs: number | null;
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
  if ((await countActiveKeys(db, tenantId, nowMs)) >= ACTIVE_KEYS_MAX) return null;
  const key = formatKey(order.kind, deps.randomBytes(KEY_RANDOM_SIZE_BYTES));
  const stored: StoredKey = {
    id: newId('key', deps.randomBytes),
    tenantId,
    name: order.name,
    kind: order.kind,
    scopes: order.scopes,
    digest: keyDigest(key),
    display: displayParts(key),
    createdTsMs: nowMs,
    expiresTsMs: order.expiresTsMs,
    revokedTsMs: null,
    lastUsedTsMs: null,
  };
  await insertKey(db, stored);
  return { key, stored };
}
