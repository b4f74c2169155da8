import { firstShift, nearestShift, type RecordingSpan, SHIFT_STEP_MS } from '@market-state/market-data';
import type { FeedState, Opening } from './feed-state';
import type { LogEnd } from './log-end';
import { type Anchor, anchorOf, choosePace, type Pace, type Speed } from './pace';

const hourMs = 3_600_000;

/** Start of the last full clock hour before a moment. */
function lastFullHourStartMs(nowMs: number): number {
  return Math.floor(nowMs / hourMs) * hourMs - hourMs;
}

/** Where history begins at a moment: with the last full clock hour, or later where no more than `historyMs` of it is wanted. */
function historyStartMs(nowMs: number, historyMs = Infinity): number {
  return Math.max(lastFullHourStartMs(nowMs), nowMs - historyMs);
}

/** The smallest shift with which the recording's first message is received after a moment. */
function shiftStartingAfter(span: RecordingSpan, momentMs: number): number {
  return firstShift(span, momentMs) + SHIFT_STEP_MS;
}

export interface StartFacts {
  readonly symbol: string;
  readonly nowMs: number;
  readonly speed: Speed;
  /** Where the first pass was asked to start; else it starts with the last full clock hour. */
  readonly startMs?: number;
  /** Most history that a new pass begins with, milliseconds; absent: from the last full clock hour on. */
  readonly historyMs?: number;
  /** The recording to play: digest of its files and their span. */
  readonly recording: { readonly digest: string; readonly span: RecordingSpan };
  readonly stored?: FeedState;
  readonly logEnd?: LogEnd;
  /** Entries that nobody trimmed were seen to be gone, wherever the log ends now. */
  readonly isLogLost: boolean;
}

/** How a symbol's feed starts: with a new pass, or within the stored one after the last entry in the log. */
type Start =
  | { readonly kind: 'begin'; readonly state: FeedState; readonly pace: Pace }
  | { readonly kind: 'resume'; readonly state: FeedState; readonly pace: Pace };

/**
 * Decides it from what is stored and what the log holds.
 * - Nothing stored, nothing in the log: the first pass.
 * - The log ends where the feed may have left it: resume, unless another recording is played now or the feed was away so long
 *   that the log ends before the last full hour; then a new pass behind a `feed_down` gap.
 * - Anything else (entries are gone, the log is empty, ends earlier, or ends further than the feed ever went): a new epoch and a new pass
 *   behind
 *   a `log_lost` gap, with ordinals and times past all that may ever have been appended.
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

/** A new pass in the stored epoch, behind a `feed_down` gap: what the log holds can't be carried on entry for entry. */
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

/** Whether the log ends where the feed may have left it. */
export function isContinued(stored: FeedState, logEnd: LogEnd | undefined): boolean {
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
  /** The first message must be received after this; absent: nothing came before. */
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

function shiftOfNewPass({ recording: { span }, startMs, historyMs, nowMs }: StartFacts, afterMs: number | undefined): number {
  if (startMs !== undefined) return afterMs === undefined ? nearestShift(span, startMs) : shiftStartingAfter(span, afterMs);
  const historyShiftMs = firstShift(span, historyStartMs(nowMs, historyMs));
  return afterMs === undefined ? historyShiftMs : Math.max(historyShiftMs, shiftStartingAfter(span, afterMs));
}

function paceFrom({ speed, startMs, nowMs }: StartFacts, feedMs: number, anchor: Anchor | undefined): Pace {
  return choosePace({ speed, startIsGiven: startMs !== undefined, nowMs, feedMs, stored: anchor });
}
