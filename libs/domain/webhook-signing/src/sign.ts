import { createHmac } from 'node:crypto';
import { signingKeyOf } from './secret';

/** One attempt to deliver a message. */
export interface WebhookMessage {
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
