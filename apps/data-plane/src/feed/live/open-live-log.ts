import { type EventLog, LOG_START } from '@market-state/event-log';
import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import {
  type InstrumentRow,
  LivePlayer,
  type PlacedEvent,
  decodeEvent,
  LogTailScan,
  type LogTail,
  type LiveStart,
} from '@market-state/market-data';
import type { Clock } from '../clock';
import type { FeedStateStore, FeedState } from '../feed-state';
import type { Fence } from '../leases';
import { readLogEnd, type LogEnd } from '../log-end';
import { createLogKeeper, type KeeperSettings } from '../log-keeper';
import { createLogWriter, type LogWriter } from '../log-writer';
import { createProgressSaver } from '../progress-saver';
import { readMarks } from '../trim-index';
import type { SymbolStatus } from '../symbol-status';
import { isContinued } from '../decide-start';

interface LiveStartFacts {
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
function decideLiveStart({ row, nowMs, stored, logEnd, isLogLost }: LiveStartFacts): LiveStart {
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
function liveState(
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

const batchEntries = 2_000;

/** What the whole log of a live symbol says to the feed that carries it on: a little over an hour of entries. */
async function readLogTail(eventLog: EventLog, symbol: string): Promise<LogTail> {
  const scan = new LogTailScan();
  for (let after = LOG_START; ; ) {
    const entries = await eventLog.read(symbol, after, { count: batchEntries });
    for (const { payload } of entries) scan.accept(decodeEvent(payload));
    const last = entries.at(-1);
    if (last === undefined) return scan.tail();
    after = { epoch: last.epoch, ordinal: last.ordinal };
  }
}

export interface OpenLogDeps {
  readonly row: InstrumentRow;
  readonly eventLog: EventLog;
  readonly store: FeedStateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly status: SymbolStatus;
  readonly settings: KeeperSettings;
}

/** What a symbol's feed holds while the stores come and go. */
export interface LivePlay {
  player?: LivePlayer;
  /** Given by the player, not known to be in the log. */
  pending: PlacedEvent[];
  /** Entries that nobody trimmed were seen to be gone. */
  isLogLost: boolean;
  /** The log holds something else than was appended: another writer was at work. */
  isConflict: boolean;
}

export interface OpenLog {
  readonly player: LivePlayer;
  readonly writer: LogWriter;
  /** Keeps how far the log is written, if the store is there. */
  close(): Promise<void>;
}

/**
 * Opens a live symbol's log to be carried on. The player that is there goes on where it stands when the log ends where it left it; one that
 * stood by takes over from the feed that wrote it; else it goes on behind a gap. Where there is none, as after a start of the process, it
 * is made behind a `feed_down` or `log_lost` gap.
 */
export async function openLiveLog(deps: OpenLogDeps, play: LivePlay, fence: Fence, signal: AbortSignal): Promise<OpenLog> {
  const { row, eventLog, store, clock, logger, status, settings } = deps;
  const { symbol } = row;
  const options = { signal, logger };
  const stored = await waitFor('postgres', () => store.read(symbol), options);
  const logEnd = await waitFor('event_log', () => readLogEnd(eventLog, symbol), options);
  const marks = await waitFor('event_log', () => readMarks(eventLog, symbol), options);
  const facts = { row, nowMs: clock.nowMs(), stored, logEnd, isLogLost: play.isLogLost };
  const start = decideLiveStart(facts);
  const state = liveState(facts, start);
  const saver = createProgressSaver(store, symbol, { fence: fence.number, logger, signal });

  if (!goesOnInPlace(play, start)) {
    const { player } = play;
    logger.info({ symbol, opening: start.opening, epoch: start.epoch, firstOrdinal: start.firstOrdinal }, 'feed starts');
    await saver.begin(state);
    play.pending = [];
    if (player === undefined || (player.standsBy && start.opening !== 'log_lost')) {
      const tail = logEnd === undefined ? undefined : await waitFor('event_log', () => readLogTail(eventLog, symbol), options);
      if (player === undefined) play.player = new LivePlayer(row, { ...start, tail });
      else {
        const isWhole = player.takeOver({ ...start, tail });
        logger.info({ symbol, isWhole }, 'the log of another feed is carried on');
        status.tookOver(isWhole);
      }
    } else player.moveTo(start, start.opening === 'feed_down' ? 'feed_down' : 'log_lost');
  }
  play.isLogLost = false;
  play.isConflict = false;
  const { player } = play;
  if (player === undefined) throw new Error(`nothing plays ${symbol}`);

  status.began({ pass: 0, epoch: start.epoch }, start.firstOrdinal - 1, () => player.rejections);
  const writer = createLogWriter(
    {
      symbol,
      epoch: start.epoch,
      eventLog,
      fence,
      keeper: createLogKeeper(eventLog, symbol, settings, marks),
      saver,
      clock,
      logger,
      signal,
      entriesAheadMax: Infinity,
      onPause: status.paused,
    },
    {
      lastOrdinal: start.firstOrdinal - 1,
      lastFeedClockMs: state.progress.lastFeedClockMs,
      safeExchangeTsMs: stored?.progress.safeExchangeTsMs ?? state.progress.safeExchangeTsMs,
    },
  );
  return { player, writer, close: () => saver.saveLast(writer.written()) };
}

/** Whether what waits follows what the log holds; what waits and is in the log already no longer waits then. */
function goesOnInPlace(play: LivePlay, { epoch, firstOrdinal }: { epoch: number; firstOrdinal: number }): boolean {
  const { player, isLogLost, isConflict } = play;
  if (player === undefined || player.standsBy || isLogLost || isConflict || player.epoch !== epoch) return false;
  const waiting = play.pending.filter(({ event }) => event.ordinal >= firstOrdinal);
  if ((waiting[0]?.event.ordinal ?? player.nextOrdinal) !== firstOrdinal) return false;
  play.pending = waiting;
  return true;
}
