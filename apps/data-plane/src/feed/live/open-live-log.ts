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
import { readLogEnd, type LogEnd, isContinued } from '../decide-start';
import { createLogKeeper, type KeeperSettings, readMarks } from '../log-keeper';
import { createLogWriter, type LogWriter } from '../log-writer';
import { createProgressSaver } from '../progress-saver';
import type { SymbolStatus } from '../symbol-status';

interface LiveStartFacts {
  readonly row: InstrumentRow;
  readonly nowMs: number;
  readonly stored?: FeedState;
  readonly logEnd?: LogEnd;
  /** Same meaning as in `StartFacts`. */
  readonly isLogLost: boolean;
}

/** A log further ahead of the clock was written faster than real time. */
const aheadMsMax = 60_000;

/**
 * Continues from the start, behind a `feed_down` gap, or after a loss in a new epoch behind a `log_lost` gap, past
 * everything ever reserved.
 * @throws Error if the log is ahead of the clock, which a real-time feed never causes
 */
function decideLiveStart({ row, nowMs, stored, logEnd, isLogLost }: LiveStartFacts): LiveStart {
  if (stored === undefined && logEnd === undefined)
    return { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: nowMs };
  const knownMs = Math.max(logEnd?.feedClockMs ?? 0, stored?.progress.lastFeedClockMs ?? 0);
  if (knownMs > nowMs + aheadMsMax) {
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

/** Scans the whole log: a little over an hour of entries. */
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

export interface LivePlay {
  player?: LivePlayer;
  /** From the player, not confirmed in the log. */
  pending: PlacedEvent[];
  isLogLost: boolean;
  /** The log has other entries than appended: another writer is active. */
  isConflict: boolean;
}

export interface OpenLog {
  readonly player: LivePlayer;
  readonly writer: LogWriter;
  close(): Promise<void>;
}

/**
 * An existing player continues in place if the log ends where it left it; a standby takes over; otherwise the log
 * continues behind a gap.
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
    logger.info({ symbol, opening: start.opening, epoch: start.epoch, firstOrdinal: start.firstOrdinal }, 'feed started');
    await saver.begin(state);
    play.pending = [];
    if (player === undefined || (player.standsBy && start.opening !== 'log_lost')) {
      const tail = logEnd === undefined ? undefined : await waitFor('event_log', () => readLogTail(eventLog, symbol), options);
      if (player === undefined) play.player = new LivePlayer(row, { ...start, tail });
      else {
        const isWhole = player.takeOver({ ...start, tail });
        logger.info({ symbol, isWhole }, 'took over the log of another feed');
        status.tookOver(isWhole);
      }
    } else player.moveTo(start, start.opening === 'feed_down' ? 'feed_down' : 'log_lost');
  }
  play.isLogLost = false;
  play.isConflict = false;
  const { player } = play;
  if (player === undefined) throw new Error(`no feed plays ${symbol}`);

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

/** Checks that pending entries follow the log; drops those already in it. */
function goesOnInPlace(play: LivePlay, { epoch, firstOrdinal }: { epoch: number; firstOrdinal: number }): boolean {
  const { player, isLogLost, isConflict } = play;
  if (player === undefined || player.standsBy || isLogLost || isConflict || player.epoch !== epoch) return false;
  const waiting = play.pending.filter(({ event }) => event.ordinal >= firstOrdinal);
  if ((waiting[0]?.event.ordinal ?? player.nextOrdinal) !== firstOrdinal) return false;
  play.pending = waiting;
  return true;
}
