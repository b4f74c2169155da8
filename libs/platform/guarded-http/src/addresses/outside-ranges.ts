import { GLOBAL_UNICAST_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-ranges';

/** A range of addresses without some within it, in CIDR notation. */
interface OutsideRange {
  readonly range: string;
  readonly except: readonly string[];
}

/** All addresses that are globally reachable: those that a webhook may be sent to, but for IPv6 addresses that carry others. */
export const outsideRanges: readonly OutsideRange[] = [
  { range: '0.0.0.0/0', except: SPECIAL_IPV4 },
  { range: GLOBAL_UNICAST_IPV6, except: SPECIAL_IPV6 },
];
