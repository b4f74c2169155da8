import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { Fault } from '@market-state/errors';
import { lengthFaults } from '@market-state/request-checks';

const LENGTH_MIN = 3;
const LENGTH_MAX = 254;

const EMAIL_PATTERN = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

export function emailFaults(field: string, email: string): Fault[] {
  const lengths = emailLengthFaults(field, email);
  if (lengths.length > 0) return lengths;
  const isEmail = EMAIL_PATTERN.test(email) && domainOf(email) !== null;
  return isEmail ? [] : [{ field, message: 'must be an email address', type: 'malformed' }];
}

export function emailLengthFaults(field: string, email: string): Fault[] {
  return lengthFaults(field, email, LENGTH_MIN, LENGTH_MAX);
}

/** SHA-256 of the normalised email: local part in NFC and lower case, domain mapped by UTS 46. */
export function emailDigest(email: string): Buffer {
  const domain = domainOf(email);
  return digestOf(domain === null ? email : `${localPartOf(email)}@${domain}`);
}

/** Digests to look an account up by, in this order: earlier releases hashed the domain as typed. */
export function accountDigests(email: string): readonly [earlier: Buffer, current: Buffer] {
  return [digestOf(email), emailDigest(email)];
}

function digestOf(email: string): Buffer {
  return createHash('sha256').update(email.normalize('NFC').toLowerCase(), 'utf8').digest();
}

/** Mapped by UTS 46; null if it is not one. */
export function domainOf(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  // domainToUnicode parses its input as the host of a URL and ignores everything from these characters on.
  if (/[/?#\\]/.test(domain)) return null;
  return domainToUnicode(domain).replace(/\.$/, '') || null;
}

export function localPartOf(email: string): string {
  return email.slice(0, Math.max(0, email.lastIndexOf('@')));
}
