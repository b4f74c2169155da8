import { sha256Hex } from '#bytes';
import type { Channel, GapReason, FeedStatus } from './event';
import { crockford, fromHex } from './text-forms';
import type { LogPosition, LogWriter } from './log-writer';

interface TradeGap {
  readonly startMs: number;
  readonly endMs: number;
  readonly lastVenueId: string;
}

export type WrittenGap = Extract<FeedStatus, { type: 'gap' }>;

export function writeTradeGap(
  { instrument, pass }: Pick<LogPosition, 'instrument' | 'pass'>,
  log: LogWriter,
  { startMs, endMs, lastVenueId }: TradeGap,
): WrittenGap {
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'sequence_gap', channel: 'trade', startMs: startMs + log.shiftMs, lastVenueId });
  const gap: WrittenGap = { type: 'gap', gapId, channel: 'trade', startMs, endMs, reason: 'sequence_gap' };
  log.status(gap, endMs);
  return gap;
}

export function withdrawGap(log: LogWriter, gap: WrittenGap): void {
  log.status({ ...gap, reason: 'arrived_late' }, gap.endMs);
}

const ID_CHARACTERS = 26;

/** Contains no log position, so a re-run yields the same id. */
interface GapIdentity {
  readonly venue: string;
  readonly symbol: string;
  readonly pass: number;
  readonly reason: GapReason | 'recording_seam';
  readonly channel?: Channel;
  readonly startMs: number;
  readonly lastVenueId: string;
}

/** `gap_` plus the first 26 characters (lower-case Crockford base32) of the SHA-256 of the identity as a JSON array. */
export function gapIdOf(identity: GapIdentity): string {
  const { venue, symbol, pass, reason, channel, startMs, lastVenueId } = identity;
  const canonical = JSON.stringify([venue, symbol, pass, reason, channel ?? '', startMs, lastVenueId]);
  return `gap_${crockford(fromHex(sha256Hex(canonical)), ID_CHARACTERS)}`;
}
