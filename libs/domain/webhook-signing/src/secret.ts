/** Random bytes in an endpoint's secret. */
export const WEBHOOK_SECRET_SIZE_BYTES = 32;

const PREFIX = 'whsec_';

/** Minimum size in Standard Webhooks 1.0. */
const SIZE_BYTES_MIN = 24;

const SIZE_BYTES_MAX = 64;

/**
 * Formats an endpoint's secret as `whsec_` and base64.
 * @param randomBytes `WEBHOOK_SECRET_SIZE_BYTES` bytes from a cryptographic source
 * @throws RangeError for another length
 */
export function formatWebhookSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== WEBHOOK_SECRET_SIZE_BYTES) throw new RangeError(`a webhook secret has ${WEBHOOK_SECRET_SIZE_BYTES} bytes`);
  return `${PREFIX}${Buffer.from(randomBytes).toString('base64')}`;
}

/**
 * Signing key bytes of a secret of 24 to 64 bytes.
 * @throws RangeError for any other text; the error does not contain it
 */
export function signingKeyOf(secret: string): Buffer {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null;
  if (key === null || key.length < SIZE_BYTES_MIN || key.length > SIZE_BYTES_MAX) throw new RangeError('not a webhook secret');
  return key;
}

/** Decodes padded base64; returns null unless the text is the canonical encoding. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
