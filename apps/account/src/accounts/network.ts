import { isIPv4, isIPv6 } from 'node:net';
import type { Queryable } from '@market-state/postgres';
import { deleteOldestKnownAddresses, saveKnownAddress, wasSeenAt } from '../store/known-addresses';

/** Maximum addresses stored per account; the oldest is dropped first. */
const KEPT_MAX = 20;
const KEPT_MS = 90 * 86_400_000;

export function isKnownAddress(db: Queryable, digest: Uint8Array, network: string, nowMs: number): Promise<boolean> {
  return wasSeenAt(db, digest, network, nowMs - KEPT_MS);
}

export async function rememberAddress(db: Queryable, accountId: string, network: string, nowMs: number): Promise<void> {
  await saveKnownAddress(db, accountId, network, nowMs);
  await deleteOldestKnownAddresses(db, accountId, KEPT_MAX);
}

/**
 * Network that limits count: the IPv4 address (also if mapped into IPv6) or the IPv6 /64. Null if the text is not an
 * address.
 */
export function networkOf(address: string): string | null {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return null;
  const words = wordsOf(plain);
  if (words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff) return ipv4Of(words[6] ?? 0, words[7] ?? 0);
  return `${words
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':')}::/64`;
}

/** The IPv6 /48, which providers usually assign to one customer. An IPv4 address is its own site. */
export function siteOf(network: string): string {
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

function wordsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = readWords(head);
  const after = tail === undefined ? [] : readWords(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function readWords(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((word) => (word.includes('.') ? wordsOfIpv4(word) : [Number.parseInt(word, 16)]));
}

function wordsOfIpv4(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
