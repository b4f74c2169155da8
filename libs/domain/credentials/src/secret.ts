import { createHash } from 'node:crypto';

/** Random bytes of a session's secret, a claim token and a reset token. */
export const SECRET_SIZE_BYTES = 32;

const SECRET_PATTERN = /^[0-9A-Za-z_-]{43}$/;

/**
 * The text form of a secret: 43 characters of base64url. `randomBytes`: `SECRET_SIZE_BYTES` bytes from a cryptographic source.
 * Throws RangeError for another length.
 */
export function formatSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== SECRET_SIZE_BYTES) throw new RangeError(`a secret has ${SECRET_SIZE_BYTES} bytes`);
  return Buffer.from(randomBytes).toString('base64url');
}

/** Whether a text has the form of a secret; tested before any look-up. */
export function isSecret(text: string): boolean {
  return SECRET_PATTERN.test(text);
}

/** SHA-256 of a secret's text, 32 bytes: the only form in which it is stored, compared or sent between services. */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
