import type { FeedStatus } from './event';
import { gapIdOf } from './gap-id';
import type { LogPlace, LogWriter } from './log-writer';

/** Where trades are missing; times are the venue's, not shifted. */
export interface TradeGap {
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
