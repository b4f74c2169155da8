import type { Fault } from '@market-state/errors';
import { lengthFaults } from '@market-state/request-checks';
import { dictionary } from '@zxcvbn-ts/language-common';
import { localPartOf } from './email';

/** Common passwords in lower case, from `@zxcvbn-ts/language-common` (MIT). */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));

/** Maximum non-letters around a common password that are treated as padding. */
const AROUND_MAX = 6;

/**
 * Matches a listed password in any case, its repetition, or one of at least four characters padded with at most six
 * non-letters.
 */
export function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  const bare = withoutSurroundings(lower);
  const isAlmostWhole = bare.length >= 4 && [...lower].length - [...bare].length <= AROUND_MAX;
  return isListed(lower) || (isAlmostWhole && isListed(bare));
}

function isListed(text: string): boolean {
  return COMMON_PASSWORDS.has(text) || COMMON_PASSWORDS.has(unitOf(text));
}

function unitOf(text: string): string {
  const second = `${text}${text}`.indexOf(text, 1);
  return text.slice(0, second);
}

function withoutSurroundings(text: string): string {
  const characters = [...text];
  const first = characters.findIndex(isLetter);
  return first === -1 ? '' : characters.slice(first, characters.findLastIndex(isLetter) + 1).join('');
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}

const LENGTH_MIN = 12;
const LENGTH_MAX = 256;

const PRODUCT_NAME = 'marketstate';

/** Shorter local parts occur in almost every password. */
const LOCAL_PART_LENGTH_MIN = 2;

export function passwordFaults(field: string, password: string, email: string): Fault[] {
  const lengths = lengthFaults(field, password, LENGTH_MIN, LENGTH_MAX);
  if (lengths.some(({ type }) => type === 'too_long')) return lengths;
  return [
    ...lengths,
    ...(isCommon(password) ? [{ field, message: 'must not be a commonly used password', type: 'too_common' }] : []),
    ...(holdsLocalPart(password, email)
      ? [{ field, message: 'must not contain the part of the email before the @', type: 'contains_email' }]
      : []),
    ...(holdsProductName(password) ? [{ field, message: 'must not contain the product name', type: 'contains_product_name' }] : []),
  ];
}

function holdsLocalPart(password: string, email: string): boolean {
  const localPart = localPartOf(email).toLowerCase();
  return localPart.length >= LOCAL_PART_LENGTH_MIN && password.toLowerCase().includes(localPart);
}

function holdsProductName(password: string): boolean {
  return password
    .toLowerCase()
    .replace(/[\s._-]/g, '')
    .includes(PRODUCT_NAME);
}
