import { sha256Hex } from '#hash';
import type { Channel, GapReason } from './event';
import { crockford, fromHex } from './text-forms';

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
  return `gap_${crockford(fromHex(sha256Hex(canonical)), ID_CHARACTERS)}`;
}
