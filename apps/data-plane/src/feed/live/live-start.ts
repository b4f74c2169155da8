import type { InstrumentRow, LiveStart } from '@market-state/market-data';
import { isContinued } from '../decide-start';
import type { FeedState } from '../feed-state';
import type { LogEnd } from '../log-end';

export interface LiveStartFacts {
  readonly row: InstrumentRow;
  readonly nowMs: number;
  readonly stored?: FeedState;
  readonly logEnd?: LogEnd;
  /** Entries that nobody trimmed were seen to be gone, wherever the log ends now. */
  readonly isLogLost: boolean;
}

/** A log further ahead of the clock than this was written by something faster than real time, milliseconds. */
const aheadMsMax = 60_000;

/**
 * Where a live symbol's log begins or goes on, from what is stored and what the log holds: at its start, behind a `feed_down` gap after
 * its end, or, when entries are gone, in a new epoch behind a `log_lost` gap, past all that may ever have been appended.
 * @throws Error when the log is ahead of the clock, which never happens to a feed at the pace of real time
 */
export function decideLiveStart({ row, nowMs, stored, logEnd, isLogLost }: LiveStartFacts): LiveStart {
  if (stored === undefined && logEnd === undefined)
    return { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: nowMs };
  const knownMs = Math.max(logEnd?.feedClockMs ?? 0, stored?.progress.lastFeedClockMs ?? 0);
  if (knownMs > nowMs + aheadMsMax) {
    throw new Error(
      `the log of ${row.symbol} is at ${new Date(knownMs).toISOString()}, ahead of now: it was played faster than real time and ` +
        `can't be carried on live`,
    );
  }
  if (stored !== undefined && !isLogLost && isContinued(stored, logEnd)) {
    if (logEnd !== undefined) {
      return {
        epoch: stored.epoch,
        firstOrdinal: logEnd.id.ordinal + 1,
        opening: 'feed_down',
        openingStartMs: logEnd.exchangeTsMs,
        clockMs: Math.max(nowMs, logEnd.feedClockMs),
      };
    }
    const opening = stored.opening === 'first' ? 'first' : 'log_lost';
    return {
      epoch: stored.epoch,
      firstOrdinal: stored.passFirstOrdinal,
      opening,
      openingStartMs: stored.openingStartMs,
      clockMs: Math.max(nowMs, stored.progress.lastFeedClockMs),
    };
  }
  return {
    epoch: Math.max(stored?.epoch ?? 0, logEnd?.id.epoch ?? 0) + 1,
    firstOrdinal: Math.max(stored?.progress.reservedOrdinal ?? 0, logEnd?.id.ordinal ?? 0) + 1,
    opening: 'log_lost',
    openingStartMs: stored?.progress.safeExchangeTsMs ?? logEnd?.exchangeTsMs ?? nowMs,
    clockMs: Math.max(nowMs, stored?.progress.reservedFeedClockMs ?? 0, logEnd?.feedClockMs ?? 0),
  };
}

/**
 * The state to keep before the first entry behind such a start is appended. Pass numbers of recordings that were played before stay taken.
 */
export function liveState(
  { row, stored, logEnd }: LiveStartFacts,
  { epoch, firstOrdinal, opening, openingStartMs, clockMs }: LiveStart,
): FeedState {
  const lastOrdinal = firstOrdinal - 1;
  const progress = {
    lastOrdinal,
    lastFeedClockMs: clockMs,
    safeExchangeTsMs: opening === 'first' ? clockMs : openingStartMs,
    reservedOrdinal: lastOrdinal,
    reservedFeedClockMs: clockMs,
  };
  const pass = Math.max(stored?.pass ?? 0, logEnd?.pass ?? 0);
  return {
    symbol: row.symbol,
    epoch,
    pass,
    shiftMs: 0,
    passFirstOrdinal: firstOrdinal,
    opening,
    openingStartMs,
    recording: `live ${row.venue} ${row.venueInstrument}`,
    progress,
  };
}
