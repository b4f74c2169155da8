import { secretDigest } from '@market-state/credentials';
import type { CallContext } from '../../serving/handlers/handler';
import { parseInstant } from '../../serving/validation/instant';

/** When a key expires, milliseconds since the epoch; 0 for empty, which means never. */
export function expiryOf(text: string): number {
  return text === '' ? 0 : (parseInstant(text) ?? 0);
}

/** Digest of the credential that asks, which account reads again: it may have ended since. */
export function credentialDigestOf({ credential }: CallContext): Buffer | undefined {
  return credential === null ? undefined : secretDigest(credential.secret);
}
