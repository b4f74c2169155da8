import type { Ceiling } from '../credits/book';
import type { KeyRate } from './key-rate';
import type { KeyDisplay, KeyKind } from '@market-state/credentials';

/** What a key may be used for, in the order in which scopes are listed. */
export const KEY_SCOPES = ['read', 'export', 'automation', 'account'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A key as the service keeps it: never the key itself. Times are milliseconds since the epoch, null where there is none. */
export interface StoredKey {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly KeyScope[];
  /** SHA-256 of the whole key, 32 bytes. */
  readonly digest: Uint8Array;
  readonly display: KeyDisplay;
  readonly createdTsMs: number;
  readonly expiresTsMs: number | null;
  readonly revokedTsMs: number | null;
  readonly lastUsedTsMs: number | null;
  /** The call that made it, the same on every try; null where the call had none. */
  readonly operationId: string | null;
  /** What it may cost, by itself or together with the keys that it followed or that followed it; null: its tenant's limits alone. */
  readonly ceiling: Ceiling | null;
  /** Null: its plan's alone. */
  readonly rate: KeyRate | null;
}

/** A key with what its tenant has. */
export interface KeyOfTenant extends StoredKey {
  /** Null: no plan. */
  readonly planId: string | null;
  readonly tenantDisabled: boolean;
}

/** A key that stopped being what it was; what was cached for its digest must be asked for again. */
export interface KeyChange {
  readonly keyId: string;
  readonly digest: Uint8Array;
}

/** Whether a key has neither been revoked nor reached its end at `nowMs`. */
export function isActive(key: StoredKey, nowMs: number): boolean {
  return key.revokedTsMs === null && (key.expiresTsMs === null || key.expiresTsMs > nowMs);
}
