import { createHash } from 'node:crypto';
import type { Channel, GapReason } from './event';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARACTERS = 26;

/** What makes a gap or seam the one it is. Nothing here depends on a log position, so a re-run names it the same. */
export interface GapIdentity {
  readonly venue: string;
  readonly symbol: string;
  readonly pass: number;
  readonly reason: GapReason | 'recording_seam';
  /** Absent: all channels. */
  readonly channel?: Channel;
  /** Exchange time of the last event before it. */
  readonly startMs: number;
  /** The venue's id of the last event before it, '' where there is none. */
  readonly lastVenueId: string;
}

/** `gap_` and the first 26 characters (Crockford base32, lower case) of the SHA-256 of the identity as a JSON array. */
export function gapIdOf(identity: GapIdentity): string {
  const { venue, symbol, pass, reason, channel, startMs, lastVenueId } = identity;
  const canonical = JSON.stringify([venue, symbol, pass, reason, channel ?? '', startMs, lastVenueId]);
  return `gap_${crockford(createHash('sha256').update(canonical, 'utf8').digest(), ID_CHARACTERS)}`;
}

/** The first `characters` base32 digits of the bytes, five bits each, most significant first. */
function crockford(bytes: Uint8Array, characters: number): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5 && text.length < characters) {
      bitCount -= 5;
      text += CROCKFORD.charAt((bits >>> bitCount) & 31);
    }
    bits &= (1 << bitCount) - 1;
  }
  return text;
}
