import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** Watchlists, alerts, rules, saved searches, endpoints, endpoint secrets, deliveries, attempts, tasks. */
export type IdPrefix = 'wl' | 'al' | 'rul' | 'ss' | 'we' | 'whk' | 'dlv' | 'att' | 'tsk';

/** 130 random bits. */
export function newId(prefix: IdPrefix): string {
  const random = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]);
  return `${prefix}_${random.join('')}`;
}
