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

/** Logs that trades of a span are missing and can't be had. */
export function writeTradeGap(
  { instrument, pass }: Pick<LogPlace, 'instrument' | 'pass'>,
  log: LogWriter,
  { startMs, endMs, lastVenueId }: TradeGap,
): void {
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'sequence_gap', channel: 'trade', startMs: startMs + log.shiftMs, lastVenueId });
  log.status({ type: 'gap', gapId, channel: 'trade', startMs, endMs, reason: 'sequence_gap' }, endMs);
}
