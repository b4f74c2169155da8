import { sha256Hex } from '#hash';
import type { Channel, GapReason, FeedStatus } from './event';
import { crockford, fromHex } from './text-forms';
import type { LogPlace, LogWriter } from './log-writer';

/** Where trades are missing; times are the venue's, not shifted. */
interface TradeGap {
  readonly startMs: number;
  /** At least `startMs`; the gap is over. */
  readonly endMs: number;
  /** Id of the last trade before it, '' where there is none. */
  readonly lastVenueId: string;
}

/** A gap as it was written. */
export type WrittenGap = Extract<FeedStatus, { type: 'gap' }>;

/** Logs that trades of a span are missing, and gives what was written. */
export function writeTradeGap(
  { instrument, pass }: Pick<LogPlace, 'instrument' | 'pass'>,
  log: LogWriter,
  { startMs, endMs, lastVenueId }: TradeGap,
): WrittenGap {
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'sequence_gap', channel: 'trade', startMs: startMs + log.shiftMs, lastVenueId });
  const gap: WrittenGap = { type: 'gap', gapId, channel: 'trade', startMs, endMs, reason: 'sequence_gap' };
  log.status(gap, endMs);
  return gap;
}

/** Logs that nothing is missing in a gap that was written: all of it came after all. Its time is the end of the gap. */
export function withdrawGap(log: LogWriter, gap: WrittenGap): void {
  log.status({ ...gap, reason: 'arrived_late' }, gap.endMs);
}

const ID_CHARACTERS = 26;

/** What makes a gap or seam the one it is. Nothing here depends on a log position, so a re-run names it the same. */
interface GapIdentity {
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
