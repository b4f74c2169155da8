import { isIP, isIPv4 } from 'node:net';

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** An address as a number. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses that share their first bits. */
export interface Range {
  readonly family: 4 | 6;
  /** The first bits of its addresses, as a number. */
  readonly prefix: bigint;
  /** How many bits follow them. */
  readonly shift: bigint;
}

/** The address that a text is, or null for any other text and for an address with a zone. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return isIPv4(text) ? { family: 4, value: ipv4Value(text) } : { family: 6, value: ipv6Value(text) };
}

/** The range `address/bits`, or null for a text that is none or whose address has bits after the prefix. */
export function parseRange(text: string): Range | null {
  const match = /^([0-9a-fA-F:.]+)\/(\d{1,3})$/.exec(text);
  const address = parseAddress(match?.[1] ?? '');
  if (address === null) return null;
  const shift = BigInt((address.family === 4 ? IPV4_BITS : IPV6_BITS) - Number(match?.[2]));
  if (shift < 0n || (address.value >> shift) << shift !== address.value) return null;
  return { family: address.family, prefix: address.value >> shift, shift };
}

/** Whether an address lies in a range of its family. */
export function isWithin(address: Address, range: Range): boolean {
  return address.family === range.family && address.value >> range.shift === range.prefix;
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(text: string): bigint {
  const [before = '', after] = withoutDots(text).split('::');
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0n);
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | group, 0n);
}

function groupsOf(text: string): readonly bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}

/** The last 32 bits written as `a.b.c.d` are written as two groups instead. */
function withoutDots(text: string): string {
  if (!text.includes('.')) return text;
  const start = text.lastIndexOf(':') + 1;
  const value = ipv4Value(text.slice(start));
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
