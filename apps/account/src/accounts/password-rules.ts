import type { Fault } from '@market-state/errors';
import { lengthFaults } from '@market-state/request-checks';
import { dictionary } from '@zxcvbn-ts/language-common';
import { localPartOf } from './email';

/** Passwords that many people have, lower case: the list of `@zxcvbn-ts/language-common` (MIT). */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));

/** Characters beside letters that people put before or behind a common password to make it long enough. */
const AROUND_MAX = 6;

/**
 * Whether a password is common: on the list, whatever its case; one on the list repeated; or one on the list, of at least four characters,
 * with at most six characters around it none of which is a letter.
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

/** The shortest text that the text is a repetition of. */
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

/** Names of the product, without what separates their words. */
const PRODUCT_NAME = 'marketstate';

/** A local part of one character is in almost every password. */
const LOCAL_PART_LENGTH_MIN = 2;

/** Everything that keeps a text from being the new password of an email's account. Any character may be in it. */
export function passwordFaults(field: string, password: string, email: string): Fault[] {
  const lengths = lengthFaults(field, password, LENGTH_MIN, LENGTH_MAX);
  if (lengths.some(({ type }) => type === 'too_long')) return lengths;
  return [
    ...lengths,
    ...(isCommon(password) ? [{ field, message: 'must not be a password that many people use', type: 'too_common' }] : []),
    ...(holdsLocalPart(password, email)
      ? [{ field, message: 'must not contain the part of the email before its @', type: 'contains_email' }]
      : []),
    ...(holdsProductName(password) ? [{ field, message: 'must not contain the name of the product', type: 'contains_product_name' }] : []),
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
