import { bytesOf, sha256Hex } from '#bytes';
import { CHANNELS, channelOf, type Channel, type MarketEvent } from './event';
import { canonicalBytes } from './encode-event';

const CHANNEL_RANKS = Object.fromEntries(CHANNELS.map((channel, rank) => [channel, rank])) as Record<Channel, number>;
const INTEGER = /^[0-9]+$/;

/** Total order of venue ids within a pass: integers of any length by value, then other texts by UTF-8 bytes. */
export function compareVenueIds(a: string, b: string): number {
  if (a === b) return 0;
  const integer = INTEGER.test(a);
  if (integer !== INTEGER.test(b)) return integer ? -1 : 1;
  if (integer) {
    const left = stripZeros(a);
    const right = stripZeros(b);
    if (left.length !== right.length) return left.length - right.length;
    if (left !== right) return left < right ? -1 : 1;
  }
  return compareUtf8(a, b);
}

/** Id for ordering and deduplication: the venue's, or the SHA-256 (hex) of the canonical encoding. */
export function identityOf(event: MarketEvent): string {
  return event.venueId === '' ? sha256Hex(canonicalBytes(event)) : event.venueId;
}

/**
 * Order in which a window's events are applied: exchange time, channel (book, trade, context, liquidation, control),
 * pass, then venue id or `identityOf`.
 */
export function compareEvents(a: MarketEvent, b: MarketEvent): number {
  if (a.exchangeTsMs !== b.exchangeTsMs) return a.exchangeTsMs - b.exchangeTsMs;
  const ranks = CHANNEL_RANKS[channelOf(a)] - CHANNEL_RANKS[channelOf(b)];
  if (ranks !== 0) return ranks;
  if (a.pass !== b.pass) return a.pass - b.pass;
  return compareVenueIds(identityOf(a), identityOf(b));
}

function stripZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

function compareUtf8(a: string, b: string): number {
  const [left, right] = [bytesOf(a), bytesOf(b)];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
