import type { PlayedInstrument } from '../played-instrument';
import type { LogTail } from './log-tail';

export interface LiveStart {
  readonly epoch: number;
  readonly firstOrdinal: number;
  /** `first`: the log is empty. */
  readonly opening: 'first' | 'feed_down' | 'log_lost';
  /** Exchange time from which data may be missing; ignored for `first`. */
  readonly openingStartMs: number;
  readonly clockMs: number;
  readonly tail?: LogTail;
}

/** A stopped feed last received data at the log's newest exchange time; later ticks prove nothing. */
export function downSinceMs({ opening, openingStartMs, tail }: LiveStart, instrument: PlayedInstrument): number {
  const wholeToMs = opening === 'feed_down' ? wholeTo(tail?.lastExchangeMs ?? 0, instrument) : undefined;
  return wholeToMs === undefined ? openingStartMs : Math.min(openingStartMs, wholeToMs);
}

/** Channels can lag each other by up to the closing lag. */
export function wholeTo(lastExchangeMs: number, { closingLagMs }: PlayedInstrument): number | undefined {
  return lastExchangeMs === 0 ? undefined : Math.max(0, lastExchangeMs - closingLagMs);
}
