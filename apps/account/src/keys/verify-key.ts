import { timingSafeEqual } from 'node:crypto';
import { isActive, type StoredKey } from './key';

/** What verification needs. */
export interface VerifyDeps {
  readonly findByDigest: (digest: Uint8Array) => Promise<StoredKey | null>;
  readonly clock: () => number;
}

/** The key of a 32 byte digest when it opens something now; null alike for unknown, revoked and expired keys. */
export async function verifyKey(deps: VerifyDeps, digest: Uint8Array): Promise<StoredKey | null> {
  const key = await deps.findByDigest(digest);
  if (key === null || !timingSafeEqual(key.digest, digest)) return null;
  return isActive(key, deps.clock()) ? key : null;
}
