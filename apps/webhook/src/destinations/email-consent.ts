import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { MailText } from '@market-state/mail';
import type { SealingKey } from '@market-state/webhook-signing';

const CODE_DIGITS = 8;
export const CONFIRMATION_LIFE_MS = 30 * 60_000;
/** After this many wrong codes a new mail is needed. */
export const WRONG_CODES_MAX = 5;

export function createCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/** Ignores spaces in what was entered. */
export function isSameCode(entered: string, code: string): boolean {
  const [one, other] = [Buffer.from(entered.replaceAll(' ', '')), Buffer.from(code)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function confirmationMail(code: string, publicBaseUrl: string | undefined): MailText {
  const where = publicBaseUrl === undefined ? 'in Market-State' : `at ${new URL('/webhooks', publicBaseUrl).href}`;
  return {
    subject: 'Confirm this address for Market-State alerts',
    text: [
      'Somebody with a Market-State account wants to send alerts to this address.',
      '',
      `To accept them, enter this code ${where}, or give it to the person who asked you, within ${CONFIRMATION_LIFE_MS / 60_000} minutes:`,
      '',
      code,
      '',
      'If you did not expect this, ignore this mail: no alerts are sent without the code.',
      '',
    ].join('\n'),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Confirmed address of an email endpoint. */
export interface Subscription {
  readonly endpointId: string;
  readonly urlRevision: number;
}

const TOKEN = /^(we_[0-9a-z]{26})\.(\d{1,9})\.([\w-]{43})$/;

/** Signed with the first key; any key verifies it. */
export function writeUnsubscribeToken([first]: readonly SealingKey[], subscription: Subscription): string {
  if (first === undefined) throw new RangeError('no key to sign with');
  return `${subscription.endpointId}.${subscription.urlRevision}.${signatureOf(first, subscription)}`;
}

/** Undefined unless one of the keys signed it. */
export function readUnsubscribeToken(keys: readonly SealingKey[], token: string): Subscription | undefined {
  const [, endpointId = '', revision = '', signature = ''] = TOKEN.exec(token) ?? [];
  const subscription = { endpointId, urlRevision: Number(revision) };
  const given = Buffer.from(signature);
  const isSigned = keys.some((key) => {
    const expected = Buffer.from(signatureOf(key, subscription));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return isSigned ? subscription : undefined;
}

/** The sealing key itself signs nothing: a key derived from it does. */
function signatureOf({ key }: SealingKey, { endpointId, urlRevision }: Subscription): string {
  const derived = createHmac('sha256', key).update('unsubscribe').digest();
  return createHmac('sha256', derived).update(`${endpointId}.${urlRevision}`).digest('base64url');
}

export interface UnsubscribeLinks {
  /** Page with a button, as opening a link must change nothing: mail scanners open every link. */
  readonly page: string;
  /** Route for mail programs (RFC 8058). */
  readonly oneClick: string;
}

export function unsubscribeLinks(publicBaseUrl: string, token: string): UnsubscribeLinks {
  const page = new URL('/unsubscribe', publicBaseUrl);
  page.hash = new URLSearchParams({ unsubscribe_token: token }).toString();
  return { page: page.href, oneClick: new URL(`/api/public/market-state/unsubscribe/${token}`, publicBaseUrl).href };
}
