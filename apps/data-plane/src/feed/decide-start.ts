import {
  decodeEvent,
  firstShift,
  type InstrumentRow,
  type LiveStart,
  nearestShift,
  type RecordingSpan,
  SHIFT_STEP_MS,
  HOUR_MS,
} from '@market-state/market-data';
import type { EntryId, EventLog } from '@market-state/event-log';
import type { FeedState, Opening } from './feed-state';
import { type Anchor, anchorOf, choosePace, type Pace, type Speed } from './clock';

export interface LogEnd {
  readonly id: EntryId;
  readonly payload: Uint8Array;
  readonly pass: number;
  readonly feedClockMs: number;
  readonly exchangeTsMs: number;
}

/** Contains at least one book or trade unless the venue was silent. */
const lookBack = 64;

export async function readLogEnd(eventLog: EventLog, symbol: string): Promise<LogEnd | undefined> {
  const entries = await eventLog.readLast(symbol, lookBack);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const events = entries.map((entry) => decodeEvent(entry.payload));
  const marketTimes = events.filter(({ kind }) => kind !== 'tick' && kind !== 'feed_status').map(({ exchangeTsMs }) => exchangeTsMs);
  const { pass, receivedTsMs } = decodeEvent(last.payload);
  return {
    id: { epoch: last.epoch, ordinal: last.ordinal },
    pass,
    feedClockMs: receivedTsMs,
    exchangeTsMs: marketTimes.length > 0 ? Math.max(...marketTimes) : receivedTsMs,
    payload: last.payload,
  };
}

function lastFullHourStartMs(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS;
}

function historyStartMs(nowMs: number, historyMs = Infinity): number {
  return Math.max(lastFullHourStartMs(nowMs), nowMs - historyMs);
}

function shiftStartingAfter(span: RecordingSpan, momentMs: number): number {
  return firstShift(span, momentMs) + SHIFT_STEP_MS;
}

export interface StartFacts {
  readonly symbol: string;
  readonly nowMs: number;
  readonly speed: Speed;
  /** Requested start of the first pass, or its recorded times; default: the last full hour. */
  readonly startMs?: number | 'recorded';
  readonly historyMs?: number;
  readonly recording: { readonly digest: string; readonly span: RecordingSpan };
  readonly stored?: FeedState;
  readonly logEnd?: LogEnd;
  /** Untrimmed entries disappeared, regardless of the current end of the log. */
  readonly isLogLost: boolean;
}

/** Files can't follow the log at their own times. The message is safe to show. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}

type Start =
  | { readonly kind: 'begin'; readonly state: FeedState; readonly pace: Pace }
  | { readonly kind: 'resume'; readonly state: FeedState; readonly pace: Pace };

/**
 * Decides from stored state and log:
 * - Both empty: first pass.
 * - The log ends where the feed may have left it: resume; or a new pass behind a `feed_down` gap if the recording
 * changed or the log is too old.
 * - Otherwise: new epoch and pass behind a `log_lost` gap, past all ordinals and times ever reserved.
 */
export function decideStart(facts: StartFacts): Start {
  const { stored, logEnd } = facts;
  if (stored === undefined && logEnd === undefined) return beginFirst(facts);
  if (stored === undefined || facts.isLogLost || !isContinued(stored, logEnd)) return beginAfterLoss(facts);
  const lastFeedClockMs = logEnd?.feedClockMs ?? stored.progress.lastFeedClockMs;
  const isAwayTooLong = facts.startMs === undefined && lastFeedClockMs < lastFullHourStartMs(facts.nowMs);
  if (logEnd !== undefined && (stored.recording !== facts.recording.digest || isAwayTooLong))
    return beginAfterAbsence(facts, stored, logEnd);
  return { kind: 'resume', state: stored, pace: paceFrom(facts, lastFeedClockMs, stored.anchor) };
}

/** The log cannot be continued entry by entry: new pass in the same epoch behind a `feed_down` gap. */
export function beginAfterAbsence(facts: StartFacts, stored: FeedState, logEnd: LogEnd): Start {
  return beginPass(facts, {
    epoch: stored.epoch,
    pass: stored.pass + 1,
    passFirstOrdinal: logEnd.id.ordinal + 1,
    opening: 'feed_down',
    openingStartMs: logEnd.exchangeTsMs,
    afterMs: logEnd.feedClockMs,
  });
}

function isContinued(stored: FeedState, logEnd: LogEnd | undefined): boolean {
  const { progress, passFirstOrdinal } = stored;
  const isNothingAppended = progress.lastOrdinal < passFirstOrdinal;
  if (logEnd === undefined || logEnd.id.epoch < stored.epoch) {
    return isNothingAppended && (stored.opening === 'first' || stored.opening === 'log_lost');
  }
  return logEnd.id.epoch === stored.epoch && logEnd.id.ordinal >= progress.lastOrdinal && logEnd.id.ordinal <= progress.reservedOrdinal;
}

function beginFirst(facts: StartFacts): Start {
  return beginPass(facts, { epoch: 1, pass: 1, passFirstOrdinal: 1, opening: 'first', openingStartMs: 0 });
}

function beginAfterLoss(facts: StartFacts): Start {
  const { stored, logEnd } = facts;
  return beginPass(facts, {
    epoch: Math.max(stored?.epoch ?? 0, logEnd?.id.epoch ?? 0) + 1,
    pass: Math.max(stored?.pass ?? 0, logEnd?.pass ?? 0) + 1,
    passFirstOrdinal: Math.max(stored?.progress.reservedOrdinal ?? 0, logEnd?.id.ordinal ?? 0) + 1,
    opening: 'log_lost',
    openingStartMs: stored?.progress.safeExchangeTsMs ?? logEnd?.exchangeTsMs ?? 0,
    afterMs: Math.max(stored?.progress.reservedFeedClockMs ?? 0, logEnd?.feedClockMs ?? 0),
  });
}

interface NewPass {
  readonly epoch: number;
  readonly pass: number;
  readonly passFirstOrdinal: number;
  readonly opening: Opening;
  readonly openingStartMs: number;
  readonly afterMs?: number;
}

function beginPass(facts: StartFacts, { afterMs, ...pass }: NewPass): Start {
  const { symbol, recording } = facts;
  const shiftMs = shiftOfNewPass(facts, afterMs);
  const firstMs = recording.span.firstReceivedMs + shiftMs;
  const pace = paceFrom(facts, firstMs, facts.startMs === undefined ? undefined : facts.stored?.anchor);
  const lastOrdinal = pass.passFirstOrdinal - 1;
  const clockMs = afterMs ?? firstMs;
  const progress = {
    lastOrdinal,
    lastFeedClockMs: clockMs,
    safeExchangeTsMs: pass.opening === 'first' ? firstMs : pass.openingStartMs,
    reservedOrdinal: lastOrdinal,
    reservedFeedClockMs: clockMs,
  };
  return { kind: 'begin', pace, state: { symbol, ...pass, shiftMs, recording: recording.digest, progress, anchor: anchorOf(pace) } };
}

function shiftOfNewPass({ symbol, recording: { span }, startMs, historyMs, nowMs }: StartFacts, afterMs: number | undefined): number {
  if (startMs === 'recorded') {
    if (afterMs === undefined || span.firstReceivedMs > afterMs) return 0;
    const [first, end] = [span.firstReceivedMs, afterMs].map((ms) => new Date(ms).toISOString());
    throw new ImportRefusal(`The log of ${symbol} reaches ${end}; files that start at ${first} cannot follow it at their own times.`);
  }
  if (startMs !== undefined) return afterMs === undefined ? nearestShift(span, startMs) : shiftStartingAfter(span, afterMs);
  const historyShiftMs = firstShift(span, historyStartMs(nowMs, historyMs));
  return afterMs === undefined ? historyShiftMs : Math.max(historyShiftMs, shiftStartingAfter(span, afterMs));
}

function paceFrom({ speed, startMs, nowMs }: StartFacts, feedMs: number, anchor: Anchor | undefined): Pace {
  return choosePace({ speed, startIsGiven: startMs !== undefined, nowMs, feedMs, stored: anchor });
}

interface LiveStartFacts {
  readonly row: InstrumentRow;
  readonly nowMs: number;
  readonly stored?: FeedState;
  readonly logEnd?: LogEnd;
  /** Same meaning as in `StartFacts`. */
  readonly isLogLost: boolean;
}

/** A log further ahead of the clock was written faster than real time. */
const liveAheadMsMax = 60_000;

/**
 * Continues from the start, behind a `feed_down` gap, or after a loss in a new epoch behind a `log_lost` gap, past
 * everything ever reserved.
 * @throws Error if the log is ahead of the clock, which a real-time feed never causes
 */
export function decideLiveStart({ row, nowMs, stored, logEnd, isLogLost }: LiveStartFacts): LiveStart {
  if (stored === undefined && logEnd === undefined)
    return { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: nowMs };
  const knownMs = Math.max(logEnd?.feedClockMs ?? 0, stored?.progress.lastFeedClockMs ?? 0);
  if (knownMs > nowMs + liveAheadMsMax) {
    throw new Error(
      `the log of ${row.symbol} is at ${new Date(knownMs).toISOString()}, ahead of the clock: it was played faster than real time and ` +
        `cannot be continued live`,
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

/** Pass numbers of earlier recordings remain used. */
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
