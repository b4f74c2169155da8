import { randomInt, timingSafeEqual } from 'node:crypto';
import type { MailText } from '@market-state/mail';

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
