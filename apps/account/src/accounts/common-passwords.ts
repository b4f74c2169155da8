import { dictionary } from '@zxcvbn-ts/language-common';

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
