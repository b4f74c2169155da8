import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** A new id of 130 random bits: `exp_` of jobs, `out_` of messages to others. */
export function newId(prefix: 'exp' | 'out'): string {
  const random = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]);
  return `${prefix}_${random.join('')}`;
}
