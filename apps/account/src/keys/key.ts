import { timingSafeEqual } from 'node:crypto';
import type { KeyDisplay, KeyKind } from '@market-state/credentials';
import type { Fault } from '@market-state/errors';
import { callsPerMinuteMax } from '@market-state/pricing';
import type { Ceiling } from '../credits/book';

/** What a key may be used for, in the order in which scopes are listed. */
export const KEY_SCOPES = ['read', 'export', 'automation', 'account'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** A limit on the calls of a key, beside that of its tenant's plan. */
export interface KeyRate {
  readonly callsPerMinute: number;
  /** Id of the key that it was set for: that one and those that rotation made of it are counted together. */
  readonly keyId: string;
}

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

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const ID_LENGTH = 26;

/** A fresh id: the noun's prefix and 26 random Crockford base32 characters, lower case. */
export function newId(
  prefix: 'acc' | 'cei' | 'grn' | 'hld' | 'inv' | 'key' | 'lea' | 'mail' | 'op' | 'ord' | 'ten',
  randomBytes: (size: number) => Uint8Array,
): string {
  return `${prefix}_${Array.from(randomBytes(ID_LENGTH), (byte) => CROCKFORD.charAt(byte % 32)).join('')}`;
}

/** Whether a key has neither been revoked nor reached its end at `nowMs`. */
export function isActive(key: StoredKey, nowMs: number): boolean {
  return key.revokedTsMs === null && (key.expiresTsMs === null || key.expiresTsMs > nowMs);
}

/** What verification needs. */
export interface VerifyDeps {
  readonly findByDigest: (digest: Uint8Array) => Promise<KeyOfTenant | null>;
  readonly clock: () => number;
}

/**
 * The key of a 32 byte digest when it opens something now; null alike for unknown, revoked and expired keys and those of a disabled tenant.
 */
export async function verifyKey(deps: VerifyDeps, digest: Uint8Array): Promise<KeyOfTenant | null> {
  const key = await deps.findByDigest(digest);
  if (key === null || !timingSafeEqual(key.digest, digest)) return null;
  return isActive(key, deps.clock()) && !key.tenantDisabled ? key : null;
}

/**
 * What is wrong with a limit that is to be set: it is 1 or more, and no more than the plan allows. An absent one has no fault.
 * @param planId of the tenant; null: none, and no limit of it
 */
export function rateFaults(callsPerMinute: number | undefined, planId: string | null): Fault[] {
  if (callsPerMinute === undefined) return [];
  const most = callsPerMinuteMax(planId ?? '') ?? Number.MAX_SAFE_INTEGER;
  if (callsPerMinute >= 1 && callsPerMinute <= most) return [];
  const bounds = planId === null ? 'must be 1 or more' : `must be 1 to ${most}, which is what the plan ${planId} allows`;
  return [{ field: 'calls_per_minute', message: bounds, type: 'out_of_range' }];
}
