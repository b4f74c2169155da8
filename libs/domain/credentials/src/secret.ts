import { createHash } from 'node:crypto';

/** Random bytes in a session secret, claim token or reset token. */
export const SECRET_SIZE_BYTES = 32;

const SECRET_PATTERN = /^[0-9A-Za-z_-]{43}$/;

/**
 * Formats a secret as 43 base64url characters.
 * @param randomBytes `SECRET_SIZE_BYTES` bytes from a cryptographic source
 * @throws RangeError for another length
 */
export function formatSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SECRET_SIZE_BYTES) throw new RangeError(`a secret has ${SECRET_SIZE_BYTES} bytes`);
  return Buffer.from(randomBytes).toString('base64url');
}

/** Checked before any lookup. */
export function isSecret(text: string): boolean {
  return SECRET_PATTERN.test(text);
}

/** The only form in which a secret is stored, compared or sent between services. */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
