import { timingSafeEqual } from 'node:crypto';
import type { KeyDisplay, KeyKind } from '@market-state/credentials';
import type { Fault } from '@market-state/errors';
import { callsPerMinuteMax } from '@market-state/pricing';
import type { Ceiling } from '../credits/credit-ledger';

export const KEY_SCOPES = ['read', 'export', 'automation', 'account'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export interface KeyRate {
  readonly callsPerMinute: number;
  /** Key the rate was set for; it and its rotations are counted together. */
  readonly keyId: string;
}

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
  readonly operationId: string | null;
  /** Spend ceiling, shared with keys it replaced or was replaced by; null: tenant limits only. */
  readonly ceiling: Ceiling | null;
  readonly rate: KeyRate | null;
}

export interface KeyOfTenant extends StoredKey {
  readonly planId: string | null;
  readonly tenantDisabled: boolean;
}

/** Invalidates cached entries for the key's digest. */
export interface KeyChange {
  readonly keyId: string;
  readonly digest: Uint8Array;
}

export function isActive(key: StoredKey, nowMs: number): boolean {
  return key.revokedTsMs === null && (key.expiresTsMs === null || key.expiresTsMs > nowMs);
}

export interface VerifyDeps {
  readonly findByDigest: (digest: Uint8Array) => Promise<KeyOfTenant | null>;
  readonly clock: () => number;
}

/** Null for unknown, revoked and expired keys and those of disabled tenants. */
export async function verifyKey(deps: VerifyDeps, digest: Uint8Array): Promise<KeyOfTenant | null> {
  const key = await deps.findByDigest(digest);
  if (key === null || !timingSafeEqual(key.digest, digest)) return null;
  return isActive(key, deps.clock()) && !key.tenantDisabled ? key : null;
}

/**
 * The limit must be from 1 to the plan's limit. Undefined is valid.
 * @param planId null: no upper limit
 */
export function rateFaults(callsPerMinute: number | undefined, planId: string | null): Fault[] {
  if (callsPerMinute === undefined) return [];
  const most = callsPerMinuteMax(planId ?? '') ?? Number.MAX_SAFE_INTEGER;
  if (callsPerMinute >= 1 && callsPerMinute <= most) return [];
  const bounds = planId === null ? 'must be at least 1' : `must be 1 to ${most}, the limit of the ${planId} plan`;
  return [{ field: 'calls_per_minute', message: bounds, type: 'out_of_range' }];
}
