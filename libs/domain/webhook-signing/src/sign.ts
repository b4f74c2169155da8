import { createHmac } from 'node:crypto';
import { drawBase62, toBase62 } from '@market-state/credentials';
import { signingKeyOf } from './secret';

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 18;
const TIME_LIMIT_MS = 62 ** TIME_DIGITS;

/** How many random bytes `formatMessageId` asks for: 18 digits and room for the bytes it skips (they never run out in practice). */
export const MESSAGE_ID_RANDOM_SIZE_BYTES = 48;

/**
 * The id of a message, the same in every attempt: `msg_` and 26 base62 digits, of which the first 8 are the time, so that ids sort (by
 * byte) as the messages were made, and 18 are random (107 bits).
 * `nowMs`: milliseconds since the epoch, a whole number below 62^8 (the year 8888). `randomBytes`: `MESSAGE_ID_RANDOM_SIZE_BYTES` bytes
 * from a cryptographic source. Throws RangeError for a time out of range and when the bytes run out.
 */
export function formatMessageId(nowMs: number, randomBytes: Uint8Array): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= TIME_LIMIT_MS) throw new RangeError('the time of a message id is out of range');
  return `msg_${toBase62(nowMs, TIME_DIGITS)}${drawBase62(randomBytes, RANDOM_DIGITS)}`;
}

/** One attempt to deliver a message. */
interface WebhookMessage {
  /** The message's id, the same in every attempt. */
  readonly id: string;
  /** When this attempt is made: whole seconds since the epoch. */
  readonly timestampSeconds: number;
  /** The body exactly as it is sent; a text is signed as UTF-8. */
  readonly body: Uint8Array | string;
}

/** The headers of Standard Webhooks 1.0. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * The headers that prove a message to its receiver: HMAC-SHA256 over `id.timestamp.body`, one `v1` signature for each secret, in the
 * order of `secrets` (newest first). Throws RangeError when there is no secret, one is malformed, or the time is not a whole number.
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
