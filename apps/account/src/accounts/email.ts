import { createHash } from 'node:crypto';
import type { Fault } from '@market-state/errors';
import { lengthFaults } from '@market-state/request-checks';

const LENGTH_MIN = 3;
const LENGTH_MAX = 254;

/** Something, an `@`, something, without blanks and control characters: what mail can be sent to, and no more is asked. */
const EMAIL_PATTERN = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** What keeps a text from being the email of a new account. */
export function emailFaults(field: string, email: string): Fault[] {
  const lengths = emailLengthFaults(field, email);
  if (lengths.length > 0) return lengths;
  return EMAIL_PATTERN.test(email) ? [] : [{ field, message: 'must be an email address', type: 'malformed' }];
}

export function emailLengthFaults(field: string, email: string): Fault[] {
  return lengthFaults(field, email, LENGTH_MIN, LENGTH_MAX);
}

/** SHA-256 of an email's normal form (Unicode composed, lower case): two spellings of one email have the same. */
export function emailDigest(email: string): Buffer {
  return createHash('sha256').update(email.normalize('NFC').toLowerCase(), 'utf8').digest();
}

/** What stands before the last `@`. */
export function localPartOf(email: string): string {
  return email.slice(0, Math.max(0, email.lastIndexOf('@')));
}
