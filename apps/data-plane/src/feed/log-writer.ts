import { type EventLog, EventLogError, formatEntryId, isEventLogError, type LogEntry } from '@market-state/event-log';
import type { PlacedEvent } from '@market-state/market-data';
import type { Logger } from '@market-state/logging';
import type { Clock } from './clock';
import type { Fence } from './leases';
import { RECORDER } from '../store/recorded';
import type { LogKeeper } from './log-keeper';
import type { ProgressSaver, Written } from './feed-state';

export interface OutgoingEntry {
  readonly placed: PlacedEvent;
  readonly payload: Uint8Array;
}

export type PauseReason = 'consumers' | 'memory';

interface LogWriterDeps {
  readonly symbol: string;
  readonly epoch: number;
  readonly eventLog: EventLog;
  readonly fence: Fence;
  readonly keeper: LogKeeper;
  readonly saver: ProgressSaver;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly entriesAheadMax: number;
  /** Called with undefined on resume. */
  readonly onPause: (reason: PauseReason | undefined) => void;
}

export interface LogWriter {
  /**
   * Waits for unavailable stores.
   * @param isHurried behind time or faster than real time: also waits for consumers
   * @throws {EventLogError} `lost` if entries disappeared, `fenced` if another feed took over, `conflict` if an
   * unfenced writer is active
   */
  append(batch: readonly OutgoingEntry[], isHurried: boolean): Promise<void>;
  written(): Written;
}

const keepIntervalMs = 1_000;
const keepIntervalEntries = 2_000;
const pausePollMs = 50;
/** Feed time reserved ahead, while hurried and in real time. */
const reserveHurriedMs = 300_000;
const reserveMs = 5_000;

export function createLogWriter(deps: LogWriterDeps, start: Written): LogWriter {
  const { symbol, epoch, eventLog, fence, keeper, saver, clock, logger, signal } = deps;
  let written = start;
  let exchangeTsMs = start.safeExchangeTsMs;
  let keptAtMs = -Infinity;
  let keptOrdinal = start.lastOrdinal;

  async function pauseWhile(reason: PauseReason, isNeeded: () => boolean): Promise<void> {
    if (!isNeeded()) return;
    await refresh();
    if (!isNeeded()) return;
    logger[reason === 'memory' ? 'error' : 'info']({ symbol, reason, ordinal: written.lastOrdinal }, 'feed paused');
    deps.onPause(reason);
    while (isNeeded()) {
      await clock.waitUntil(clock.nowMs() + pausePollMs, signal);
      await refresh();
    }
    deps.onPause(undefined);
  }

  /** Best effort: keeps old values while the store is unavailable. */
  async function refresh(): Promise<void> {
    try {
      await keeper.refresh();
      await keeper.trim(written.lastFeedClockMs);
    } catch (error) {
      logger.warn({ symbol, err: error }, 'reading the state of the log failed');
      return;
    }
    if (keeper.isLost()) throw new EventLogError('lost', `the oldest entries of the log of ${symbol} are gone`);
  }

  /** The store's own memory limit may be lower than ours. */
  async function appendOnceWritable(entries: readonly LogEntry[]): Promise<void> {
    for (let isPaused = false; ; isPaused = true) {
      try {
        await fence.untilSure(signal);
        await eventLog.append(symbol, entries, signal);
        if (isPaused) deps.onPause(undefined);
        return;
      } catch (error) {
        if (!isEventLogError(error, 'full')) throw error;
        if (!isPaused) logger.error({ symbol, err: error }, 'feed paused');
        deps.onPause('memory');
        await clock.waitUntil(clock.nowMs() + pausePollMs, signal);
        await refresh();
      }
    }
  }

  /**
   * Labeling may have used unrecorded entries, and its packets must be derivable from rows. Best effort: failures fall
   * into the gap.
   */
  async function restoreUnrecorded(newest: readonly LogEntry[]): Promise<void> {
    const recorded = keeper.positionOf(RECORDER);
    if (recorded === undefined) return;
    try {
      const restored = await eventLog.restore(symbol, recorded);
      if (restored > 0) await eventLog.append(symbol, newest, signal);
      logger.warn({ symbol, after: formatEntryId(recorded), restored }, 'appended unrecorded entries to the lost log again');
    } catch (error) {
      logger.error({ symbol, err: error }, 'unrecorded entries could not be appended again');
    }
  }

  function mark({ event, dueFeedClockMs }: PlacedEvent): void {
    if (event.kind !== 'tick' && event.kind !== 'feed_status') exchangeTsMs = Math.max(exchangeTsMs, event.exchangeTsMs);
    keeper.mark({ id: { epoch, ordinal: event.ordinal }, feedClockMs: dueFeedClockMs, exchangeTsMs });
  }

  async function keep(isHurried: boolean): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs - keptAtMs < keepIntervalMs && written.lastOrdinal - keptOrdinal < keepIntervalEntries) return;
    keptAtMs = nowMs;
    keptOrdinal = written.lastOrdinal;
    await refresh();
    written = { ...written, safeExchangeTsMs: keeper.safeExchangeTsMs() ?? written.safeExchangeTsMs };
    saver.saveSoon(written, isHurried ? reserveHurriedMs : reserveMs);
  }

  async function appendBatch(batch: readonly OutgoingEntry[], entries: readonly LogEntry[], isHurried: boolean): Promise<void> {
    const last = batch.at(-1);
    if (last === undefined) return;
    const reach = { ordinal: last.placed.event.ordinal, feedClockMs: last.placed.dueFeedClockMs };
    await saver.reserve(reach, written, isHurried ? reserveHurriedMs : reserveMs);
    if (isHurried) await pauseWhile('consumers', () => keeper.entriesAhead(written.lastOrdinal) > deps.entriesAheadMax);
    await pauseWhile('memory', keeper.isMemoryFull);
    await appendOnceWritable(entries);
    batch.forEach(({ placed }) => mark(placed));
    written = { ...written, lastOrdinal: reach.ordinal, lastFeedClockMs: reach.feedClockMs };
    await keep(isHurried);
  }

  return {
    written: () => written,
    async append(batch, isHurried) {
      const entries = batch.map(({ placed, payload }) => ({ epoch, ordinal: placed.event.ordinal, payload }));
      try {
        await appendBatch(batch, entries, isHurried);
      } catch (error) {
        if (isEventLogError(error, 'lost')) await restoreUnrecorded(entries);
        throw error;
      }
    },
  };
}
