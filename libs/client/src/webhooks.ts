import { VerificationError } from './errors';
import { fromBase64, subtleCrypto } from './bytes';
import type { Schemas } from './types';

export { VerificationError } from './errors';

/** Message by `type`. Later versions of the service may add types; answer those with 204 as well. */
export type WebhookEvent =
  | Schemas['PacketCreatedMessage']
  | Schemas['StateChangedMessage']
  | Schemas['AlertTriggeredMessage']
  | Schemas['ExportFinishedMessage']
  | Schemas['UsageThresholdReachedMessage']
  | Schemas['EndpointDisabledMessage']
  | Schemas['MessageExhaustedMessage']
  | Schemas['WebhookTestMessage'];

/** Headers of `fetch`, `node:http` or a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** Maximum difference between the signature time and now; 300 s by default. */
  readonly toleranceSeconds?: number;
  /** Clock in epoch milliseconds; `Date.now` by default. */
  readonly now?: () => number;
}

type Key = Awaited<ReturnType<ReturnType<typeof subtleCrypto>['importKey']>>;

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
/** Limits of Standard Webhooks 1.0. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const SIGNATURE_PREFIX = 'v1,';
const WHOLE_SECONDS = /^\d{1,12}$/;

/**
 * Verifies a webhook message (Standard Webhooks 1.0) and returns its event.
 * @param rawBody exact bytes of the request, or their text, before any parsing
 * @param secrets `whsec_…`; during a rotation both, in any order
 * @throws VerificationError with the code `body_parsed`, `header_missing`, `timestamp_malformed`, `timestamp_too_old`,
 * `timestamp_too_new`, `signature_mismatch` or `body_malformed`; TypeError if no secret is well formed
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  checkTime(timestamp, toleranceSeconds, now());
  const signed = withHead(`${id}.${timestamp}.`, body);
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (keys.length === 0) throw new TypeError('Pass at least one secret to verify a message.');
  if (!(await isSigned(signed, signatures, keys)))
    throw new VerificationError(
      'signature_mismatch',
      'No signature matches this body. Either the secret is wrong, or the body is not the original bytes: ' +
        'parsing JSON and serialising it again (re-serialised) changes the bytes. Pass the raw body.',
    );
  return parse(body);
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody);
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new VerificationError(
    'body_parsed',
    'The body was already parsed. Serialising it again (re-serialised) does not reproduce the signed bytes. ' +
      'Pass the raw body: a string, Uint8Array or Buffer read before any parser.',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([own, text]) => own.toLowerCase() === name && text !== undefined)?.[1];
  const text = typeof value === 'string' ? value : value?.[0];
  if (text === undefined || text === '') throw new VerificationError('header_missing', `The header ${name} is missing.`);
  return text;
}

function checkTime(timestamp: string, toleranceSeconds: number, nowMs: number): void {
  if (!WHOLE_SECONDS.test(timestamp))
    throw new VerificationError('timestamp_malformed', 'The header webhook-timestamp is not a valid time.');
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds)
    throw new VerificationError(
      'timestamp_too_old',
      `The message was signed ${ageSeconds} s ago, more than the ${toleranceSeconds} s allowed.`,
    );
  if (ageSeconds < -toleranceSeconds)
    throw new VerificationError(
      'timestamp_too_new',
      `The message was signed ${-ageSeconds} s in the future, more than the ${toleranceSeconds} s allowed.`,
    );
}

function withHead(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(head);
  const whole = new Uint8Array(start.length + body.length);
  whole.set(start);
  whole.set(body, start.length);
  return whole;
}

function keyOf(secret: string): Promise<Key> {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const bytes = decoded(text);
  if (bytes === null || bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX)
    throw new TypeError('A webhook secret must be whsec_ followed by base64 of 24 to 64 bytes.');
  return subtleCrypto().importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Compares signatures in constant time. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, keys: readonly Key[]): Promise<boolean> {
  const subtle = subtleCrypto();
  for (const text of signatures.split(' ')) {
    const mac = text.startsWith(SIGNATURE_PREFIX) ? decoded(text.slice(SIGNATURE_PREFIX.length)) : null;
    if (mac === null) continue;
    for (const key of keys) if (await subtle.verify('HMAC', key, mac, signed)) return true;
  }
  return false;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(base64);
  } catch {
    return null;
  }
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new VerificationError('body_malformed', 'The signature is valid, but the body is not JSON.');
  }
}
