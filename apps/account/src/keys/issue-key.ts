import { displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, type KeyDisplay, type KeyKind } from '@market-state/credentials';
import { newId } from './id';
import type { KeyScope, StoredKey } from './key';

/** Most keys of a tenant that may be active at once. */
export const ACTIVE_KEYS_MAX = 20;

/** A key as it is written when it is made. */
export interface NewKey extends Omit<StoredKey, 'tenantId' | 'revokedTsMs'> {
  readonly display: KeyDisplay;
  readonly createdTsMs: number;
}

/** Where keys are made. */
export interface IssueStore {
  /**
   * Writes a key for the tenant of that name, made with `newTenantId` when there is none, unless the tenant already has
   * `activeMax` keys that are active at the key's time of creation. Resolves to the tenant's id, or null at the limit.
   */
  insertKey(tenant: { name: string; newTenantId: string }, key: NewKey, activeMax: number): Promise<{ tenantId: string } | null>;
}

export interface IssueDeps {
  readonly store: IssueStore;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface IssueOrder {
  readonly tenantName: string;
  readonly kind: KeyKind;
  readonly scopes: readonly KeyScope[];
  readonly expiresTsMs: number | null;
}

export interface IssuedKey {
  /** The whole key: told once, kept nowhere. */
  readonly key: string;
  readonly keyId: string;
  readonly tenantId: string;
}

/** Makes a key, or gives null when the tenant holds as many active keys as it may. */
export async function issueKey(deps: IssueDeps, order: IssueOrder): Promise<IssuedKey | null> {
  const key = formatKey(order.kind, deps.randomBytes(KEY_RANDOM_SIZE_BYTES));
  const keyId = newId('key', deps.randomBytes);
  const written = await deps.store.insertKey(
    { name: order.tenantName, newTenantId: newId('ten', deps.randomBytes) },
    {
      id: keyId,
      kind: order.kind,
      scopes: order.scopes,
      digest: keyDigest(key),
      display: displayParts(key),
      createdTsMs: deps.clock(),
      expiresTsMs: order.expiresTsMs,
    },
    ACTIVE_KEYS_MAX,
  );
  return written === null ? null : { key, keyId, tenantId: written.tenantId };
}
