import { createHmac } from 'node:crypto';
import { drawBase62, toBase62 } from '@market-state/credentials';

export const WEBHOOK_SECRET_SIZE_BYTES = 32;

const PREFIX = 'whsec_';

/** Minimum size in Standard Webhooks 1.0. */
const SIZE_BYTES_MIN = 24;

const SIZE_BYTES_MAX = 64;

/**
 * `whsec_` and base64.
 * @param randomBytes `WEBHOOK_SECRET_SIZE_BYTES` bytes from a cryptographic source
 * @throws RangeError for another length
 */
export function formatWebhookSecret(randomBytes: Uint8Array): string {
  if (randomBytes.length !== WEBHOOK_SECRET_SIZE_BYTES) throw new RangeError(`a webhook secret has ${WEBHOOK_SECRET_SIZE_BYTES} bytes`);
  return `${PREFIX}${Buffer.from(randomBytes).toString('base64')}`;
}

/** @throws RangeError unless the secret has 24 to 64 bytes; the error does not contain it */
function signingKeyOf(secret: string): Buffer {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null;
  if (key === null || key.length < SIZE_BYTES_MIN || key.length > SIZE_BYTES_MAX) throw new RangeError('not a webhook secret');
  return key;
}

/** Decodes padded base64; null unless the text is the canonical encoding. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 18;
const TIME_LIMIT_MS = 62 ** TIME_DIGITS;

/** Random bytes that `formatMessageId` needs: 18 digits plus a margin for skipped bytes. */
export const MESSAGE_ID_RANDOM_SIZE_BYTES = 48;

/**
 * `msg_` and 26 base62 digits: 8 for the time, so ids sort in creation order, and 18 random (107 bits).
 * @param randomBytes `MESSAGE_ID_RANDOM_SIZE_BYTES` bytes from a cryptographic source
 * @throws RangeError for a time outside [0, 62^8) ms, or if the bytes run out
 */
export function formatMessageId(nowMs: number, randomBytes: Uint8Array): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= TIME_LIMIT_MS) throw new RangeError('the time of a message id is out of range');
  return `msg_${toBase62(nowMs, TIME_DIGITS)}${drawBase62(randomBytes, RANDOM_DIGITS)}`;
}

interface WebhookMessage {
  /** Identical across attempts. */
  readonly id: string;
  readonly timestampSeconds: number;
  /** Exact body sent; text is signed as UTF-8. */
  readonly body: Uint8Array | string;
}

/** Headers of Standard Webhooks 1.0. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs a message: HMAC-SHA256 over `id.timestamp.body`, one `v1` signature per secret in the order of `secrets`
 * (newest first).
 * @throws RangeError without a secret, for a malformed one, or for a non-integer time
 */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): SignatureHeaders {
  const { id, timestampSeconds, body } = message;
  if (secrets.length === 0) throw new RangeError('a message is signed with at least one secret');
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) throw new RangeError('a timestamp is whole seconds');
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', signingKeyOf(secret)).update(`${id}.${timestampSeconds}.`).update(body);
    return `v1,${mac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signatures.join(' ') };
}
