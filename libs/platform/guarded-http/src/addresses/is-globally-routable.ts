import { type Address, isWithin, parseAddress, parseRange, type Range } from './ranges';
import { GLOBAL_UNICAST_IPV6, IPV4_CARRIERS, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-ranges';

const IPV4_MASK = 0xffff_ffffn;

/** Interface identifiers of ISATAP (RFC 5214), whose last 32 bits are an IPv4 address. */
const ISATAP = new Set([0x0000_5efen, 0x0200_5efen]);

const specialIpv4 = SPECIAL_IPV4.map(rangeOf);
const specialIpv6 = SPECIAL_IPV6.map(rangeOf);
const globalUnicast = rangeOf(GLOBAL_UNICAST_IPV6);
const carriers = IPV4_CARRIERS.map(({ range, carried }) => ({ range: rangeOf(range), carried }));

/**
 * Whether a host anywhere on the internet may have this address. An IPv6 address that carries IPv4 addresses is judged by each of them.
 * False for a text that is no address.
 */
export function isGloballyRoutable(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  return address.family === 4 ? isRoutableIpv4(address) : isRoutableIpv6(address);
}

function isRoutableIpv4(address: Address): boolean {
  return !specialIpv4.some((range) => isWithin(address, range));
}

function isRoutableIpv6(address: Address): boolean {
  const carrier = carriers.find(({ range }) => isWithin(address, range));
  if (carrier !== undefined) {
    return carrier.carried.every(({ shift, inverted }) => {
      const bits = (address.value >> shift) & IPV4_MASK;
      return isRoutableIpv4({ family: 4, value: inverted ? bits ^ IPV4_MASK : bits });
    });
  }
  if (!isWithin(address, globalUnicast) || specialIpv6.some((range) => isWithin(address, range))) return false;
  return !ISATAP.has((address.value >> 32n) & IPV4_MASK) || isRoutableIpv4({ family: 4, value: address.value & IPV4_MASK });
}

function rangeOf(text: string): Range {
  const range = parseRange(text);
  if (range === null) throw new Error(`${text} is not a range`);
  return range;
}
