import type { PlayedInstrument } from '../played-instrument';
import type { LogTail } from './log-tail';

/** Where a live log begins or goes on. */
export interface LiveStart {
  readonly epoch: number;
  readonly firstOrdinal: number;
  /** `first`: nothing came before. */
  readonly opening: 'first' | 'feed_down' | 'log_lost';
  /** Exchange time from which something may be missing; heeded unless `first`. */
  readonly openingStartMs: number;
  /** The feed clock does not begin before this. */
  readonly clockMs: number;
  readonly tail?: LogTail;
}

/** A feed that stopped had heard the venue last at the newest time that its log holds: the ticks behind it say nothing of the market. */
export function downSinceMs({ opening, openingStartMs, tail }: LiveStart, instrument: PlayedInstrument): number {
  const wholeToMs = opening === 'feed_down' ? wholeTo(tail?.lastExchangeMs ?? 0, instrument) : undefined;
  return wholeToMs === undefined ? openingStartMs : Math.min(openingStartMs, wholeToMs);
}

/**
 * Channels of a venue come up to the closing lag apart: behind the newest time of one, another may still lack what is not older than that.
 */
export function wholeTo(lastExchangeMs: number, { closingLagMs }: PlayedInstrument): number | undefined {
  return lastExchangeMs === 0 ? undefined : Math.max(0, lastExchangeMs - closingLagMs);
}
