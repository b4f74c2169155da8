import type { EventLog } from '@market-state/event-log';
import { waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type InstrumentRow, LivePlayer, type PlacedEvent } from '@market-state/market-data';
import type { Clock } from '../clock';
import type { FeedStateStore } from '../feed-state';
import type { Fence } from '../lease/leases';
import { readLogEnd } from '../log-end';
import { createLogKeeper, type KeeperSettings } from '../log-keeper';
import { createLogWriter, type LogWriter } from '../log-writer';
import { createProgressSaver } from '../progress-saver';
import { readMarks } from '../read-marks';
import type { SymbolStatus } from '../symbol-status';
import { decideLiveStart, liveState } from './live-start';
import { readLogTail } from './read-log-tail';

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
