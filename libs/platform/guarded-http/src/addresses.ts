import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Address ranges that never receive webhooks: those not marked globally reachable in the IANA IPv4 and IPv6 Special-Purpose Address
 * Registries (iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry), the small reachable blocks within them (PCP and
 * TURN anycast, ORCHIDv2), and IANA's multicast ranges. `range()` of ipaddr.js differs: it treats unassigned `4000::1` and compatible
 * `::7f00:1` as unicast and the reachable AS112 as special.
 */
const SPECIAL_IPV4: readonly string[] = [
  '0.0.0.0/8', // this network, RFC 791
  '10.0.0.0/8', // private use, RFC 1918
  '100.64.0.0/10', // shared address space, RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '169.254.0.0/16', // link local, RFC 3927
  '172.16.0.0/12', // private use, RFC 1918
  '192.0.0.0/24', // IETF protocol assignments, RFC 6890
  '192.0.2.0/24', // documentation, RFC 5737
  '192.88.99.0/24', // former 6to4 relay anycast, RFC 7526
  '192.168.0.0/16', // private use, RFC 1918
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved and limited broadcast, RFC 1112, RFC 919
];

/** The only range of global unicast addresses in use (RFC 4291, iana.org/assignments/ipv6-address-space). */
const GLOBAL_UNICAST_IPV6 = '2000::/3';

const SPECIAL_IPV6: readonly string[] = [
  '2001::/23', // IETF protocol assignments (benchmarking, ORCHID, anycast), RFC 2928; Teredo is checked by its IPv4 addresses
  '2001:db8::/32', // documentation, RFC 3849
  '3fff::/20', // documentation, RFC 9637
];

/** IPv6 ranges with embedded IPv4 addresses: offset of their first byte, and whether the bits are inverted. */
const IPV4_CARRIERS = [
  { range: '::ffff:0:0/96', carried: [{ at: 12 }] }, // mapped, RFC 4291
  { range: '::/96', carried: [{ at: 12 }] }, // compatible, RFC 4291
  { range: '64:ff9b::/96', carried: [{ at: 12 }] }, // NAT64, RFC 6052
  { range: '2002::/16', carried: [{ at: 2 }] }, // 6to4, RFC 3056
  { range: '2001::/32', carried: [{ at: 4 }, { at: 12, inverted: true }] }, // Teredo: server and client, RFC 4380
];

/** ISATAP interface identifiers (RFC 5214), bytes 8 to 11, followed by an IPv4 address. */
const ISATAP = new Set(['0,0,94,254', '2,0,94,254']);

/** Globally reachable addresses, for network policies. IPv6 ranges with embedded IPv4 addresses are not split further. */
export const outsideRanges: readonly { readonly range: string; readonly except: readonly string[] }[] = [
  { range: '0.0.0.0/0', except: SPECIAL_IPV4 },
  { range: GLOBAL_UNICAST_IPV6, except: SPECIAL_IPV6 },
];

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Range {
  readonly family: 4 | 6;
  readonly first: Address;
  readonly bits: number;
}

const specialIpv4 = SPECIAL_IPV4.map(rangeOf);
const specialIpv6 = SPECIAL_IPV6.map(rangeOf);
const globalUnicast = rangeOf(GLOBAL_UNICAST_IPV6);
const carriers = IPV4_CARRIERS.map(({ range, carried }) => ({ range: rangeOf(range), carried }));

/** Null for anything else, for addresses with a zone, and for forms that only ipaddr.js accepts (`127.1`, octal, hex). */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  // ipaddr.js parses `::a.b.c.d` (compatible) as `::ffff:a.b.c.d` (mapped).
  return ipaddr.parse(text.replace(/^::(?=\d+\.)/, '0::'));
}

/** Null for anything but `address/bits`, or if bits are set after the prefix. */
export function parseRange(text: string): Range | null {
  const [, addressText = '', bitsText] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const [first, bits] = [parseAddress(addressText), Number(bitsText)];
  const cidr = `${first}/${bits}`;
  if (first === null || !ipaddr.isValidCIDR(cidr)) return null;
  const family = first.kind() === 'ipv4' ? 4 : 6;
  const network = (family === 4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr);
  return isSame(first, network) ? { family, first, bits } : null;
}

export function isSame(one: Address, other: Address): boolean {
  return one.toByteArray().join() === other.toByteArray().join();
}

export function isWithin(address: Address, { first, bits }: Range): boolean {
  return address.kind() === first.kind() && address.match(first, bits);
}

/** Embedded IPv4 addresses must be public too. */
export function isGloballyRoutable(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  return address.kind() === 'ipv4' ? isRoutableIpv4(address) : isRoutableIpv6(address);
}

function isRoutableIpv4(address: Address): boolean {
  return !specialIpv4.some((range) => isWithin(address, range));
}

function isRoutableIpv6(address: Address): boolean {
  const bytes = address.toByteArray();
  const carrier = carriers.find(({ range }) => isWithin(address, range));
  if (carrier !== undefined) return carrier.carried.every(({ at, inverted }) => isRoutableIpv4(ipv4At(bytes, at, inverted)));
  if (!isWithin(address, globalUnicast) || specialIpv6.some((range) => isWithin(address, range))) return false;
  return !ISATAP.has(bytes.slice(8, 12).join()) || isRoutableIpv4(ipv4At(bytes, 12));
}

function ipv4At(bytes: readonly number[], at: number, inverted = false): Address {
  return new ipaddr.IPv4(bytes.slice(at, at + 4).map((byte) => (inverted ? byte ^ 0xff : byte)));
}

function rangeOf(text: string): Range {
  const range = parseRange(text);
  if (range === null) throw new Error(`${text} is not a range`);
  return range;
}
