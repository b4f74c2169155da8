import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;
const SHARE_ID = new RegExp(`^shr_[${LETTERS}]{${LENGTH}}$`);

/** A new id of 130 random bits: whoever does not have the link cannot find the share. */
export function newShareId(): string {
  return `shr_${Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]).join('')}`;
}

export function isShareId(text: string): boolean {
  return SHARE_ID.test(text);
}
