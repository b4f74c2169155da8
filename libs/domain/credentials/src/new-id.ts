/** Prefixes of random ids. Packet, event and receipt ids are digests. */
export type IdPrefix =
  // account: accounts, ceilings, account events, grants, holds, invoices, invitations, keys, leases, mails, operations, orders, tenants
  | 'acc'
  | 'cei'
  | 'evn'
  | 'grn'
  | 'hld'
  | 'inv'
  | 'ivt'
  | 'key'
  | 'lea'
  | 'mail'
  | 'op'
  | 'ord'
  | 'ten'
  // export: jobs and outbox events
  | 'exp'
  | 'out'
  // labeling: shares
  | 'shr'
  // webhook: alerts, attempts, deliveries, rules, saved searches, tasks, endpoints, endpoint secrets, watchlists
  | 'al'
  | 'att'
  | 'dlv'
  | 'rul'
  | 'ss'
  | 'tsk'
  | 'we'
  | 'whk'
  | 'wl';

/** Crockford base32. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** Random id: prefix and 26 lower-case Crockford base32 characters, 130 bits. */
export function newId(prefix: IdPrefix, randomBytes: (size: number) => Uint8Array): string {
  return `${prefix}_${Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte & 31)).join('')}`;
}

export function isId(prefix: IdPrefix, text: string): boolean {
  const [start, random, ...more] = text.split('_');
  return start === prefix && more.length === 0 && random?.length === LENGTH && [...random].every((letter) => LETTERS.includes(letter));
}
