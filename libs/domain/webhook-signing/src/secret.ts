/** Random bytes of an endpoint's secret. */
export const WEBHOOK_SECRET_SIZE_BYTES = 32;

const PREFIX = 'whsec_';

/** What Standard Webhooks 1.0 allows a secret to have. */
const SIZE_BYTES_MIN = 24;

const SIZE_BYTES_MAX = 64;

/**
 * The text form of an endpoint's secret: `whsec_` and base64. `randomBytes`: `WEBHOOK_SECRET_SIZE_BYTES` bytes from a cryptographic
 * source. Throws RangeError for another length.
 */
export function formatWebhookSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== WEBHOOK_SECRET_SIZE_BYTES) throw new RangeError(`a webhook secret has ${WEBHOOK_SECRET_SIZE_BYTES} bytes`);
  return `${PREFIX}${Buffer.from(randomBytes).toString('base64')}`;
}

/** The bytes that sign, of a secret of 24 to 64 bytes. Throws RangeError, which does not contain the text, for any other text. */
export function signingKeyOf(secret: string): Buffer {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null;
  if (key === null || key.length < SIZE_BYTES_MIN || key.length > SIZE_BYTES_MAX) throw new RangeError('not a webhook secret');
  return key;
}

/** The bytes of a base64 text (with padding), or null when it is not exactly what these bytes are written as. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
