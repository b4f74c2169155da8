import { timingSafeEqual } from 'node:crypto';
import { isActive, type KeyOfTenant } from './key';

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
