/**
 * Address ranges that no webhook is sent to. Sources: IANA IPv4 Special-Purpose Address Registry
 * (iana.org/assignments/iana-ipv4-special-registry), IANA IPv6 Special-Purpose Address Registry
 * (iana.org/assignments/iana-ipv6-special-registry), IANA Multicast Address Space registries. Listed is what these do not call globally
 * reachable; small reachable blocks within a listed range (PCP and TURN anycast, ORCHIDv2) are no place for a receiver either.
 */
export const SPECIAL_IPV4: readonly string[] = [
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

/** The one range of global unicast addresses in use (RFC 4291, iana.org/assignments/ipv6-address-space); all outside it is refused. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** Ranges within `GLOBAL_UNICAST_IPV6` that are special. */
export const SPECIAL_IPV6: readonly string[] = [
  '2001::/23', // IETF protocol assignments (benchmarking, ORCHID, anycast), RFC 2928; Teredo is judged by what it carries
  '2001:db8::/32', // documentation, RFC 3849
  '3fff::/20', // documentation, RFC 9637
];

/** IPv6 ranges whose addresses carry IPv4 addresses. `shift`: bits to the right of the IPv4 address; `inverted`: its bits are flipped. */
export const IPV4_CARRIERS: readonly { readonly range: string; readonly carried: readonly { shift: bigint; inverted?: true }[] }[] = [
  { range: '::ffff:0:0/96', carried: [{ shift: 0n }] }, // mapped, RFC 4291
  { range: '::/96', carried: [{ shift: 0n }] }, // compatible, RFC 4291
  { range: '64:ff9b::/96', carried: [{ shift: 0n }] }, // NAT64, RFC 6052
  { range: '2002::/16', carried: [{ shift: 80n }] }, // 6to4, RFC 3056
  { range: '2001::/32', carried: [{ shift: 64n }, { shift: 0n, inverted: true }] }, // Teredo: server and client, RFC 4380
];
