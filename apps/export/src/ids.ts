import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** 130 random bits with a prefix: `exp_` for jobs, `out_` for outbox events. */
export function newId(prefix: 'exp' | 'out'): string {
  const random = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]);
  return `${prefix}_${random.join('')}`;
}
