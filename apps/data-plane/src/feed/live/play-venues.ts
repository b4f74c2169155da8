import { type EventLog, isEventLogError, LOG_START } from '@market-state/event-log';
import { backoffMs, delay, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import {
  encodeEvent,
  LivePlayer,
  type InstrumentRow,
  type PlacedEvent,
  decodeEvent,
  LogTailScan,
  type LogTail,
} from '@market-state/market-data';
import { createRestorer, type Restorer } from '@market-state/venues';
import type { FeedConfig } from '../../config';
import type { Clock } from '../clock';
import { type FeedStateStore, createProgressSaver } from '../feed-state';
import { type Leases, type Fence, acquireLogLease } from '../leases';
import { type KeeperSettings, createLogKeeper, readMarks } from '../log-keeper';
import type { SymbolStatus } from '../symbol-status';
import { createInbox, type Inbox, type InboxItem, keepConnection, type VenueMetrics, venueConnections } from './venue-connections';
import { decideLiveStart, liveState, readLogEnd } from '../decide-start';
import { createLogWriter, type LogWriter } from '../log-writer';

/** `letGo`: write a final tick first, so that another feed can continue; `stop`: immediately. */
interface LiveSignals {
  readonly letGo: AbortSignal;
  readonly stop: AbortSignal;
}

interface VenuesDeps {
  readonly config: FeedConfig;
  readonly eventLog: EventLog;
  readonly store: FeedStateStore;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: VenueMetrics;
  readonly statusOf: (symbol: string) => SymbolStatus;
  readonly settings: KeeperSettings;
}

/** Connections stay open until all symbols have ended. */
export async function playVenues({ config, clock, logger, metrics, statusOf, ...deps }: VenuesDeps, signals: LiveSignals): Promise<void> {
  const over = new AbortController();
  const connections: Promise<void>[] = [];
  await Promise.all(
    venueConnections(config, clock, logger).flatMap((kept) => {
      const inboxes = new Map(kept.rows.map((row) => [row.venueInstrument, createInbox()]));
      const players = kept.rows.map((row) => {
        const inbox = inboxes.get(row.venueInstrument) ?? createInbox();
        return playLive({ ...deps, row, inbox, clock, logger, status: statusOf(row.symbol) }, signals);
      });
      connections.push(keepConnection(kept, { clock, logger, metrics, inboxes }, AbortSignal.any([signals.stop, over.signal])));
      return players;
    }),
  );
  over.abort();
  await Promise.all(connections);
}

interface LiveSymbolDeps extends OpenLogDeps {
  readonly inbox: Inbox;
  readonly leases: Leases;
}

const tickMs = 250;
const batchEntriesMax = 200;

/**
 * Writes while holding the lease; otherwise stands by, connected, and buffers. Store outages only pause it; a lost log
 * continues in a new epoch.
 */
async function playLive(deps: LiveSymbolDeps, { letGo, stop }: LiveSignals): Promise<void> {
  const { row, logger, status } = deps;
  const play: LivePlay = { pending: [], isLogLost: false, isConflict: false };
  const restorer = createRestorer({
    instrument: row.venueInstrument,
    isNeeded: () => play.player?.needsSnapshot === true,
    silence: () => play.player?.silence,
    onResubscribe: () => play.player?.resubscribed(),
    onDegraded: (reason) => status.degraded(reason !== undefined),
    logger,
    random: Math.random,
  });
  let fence: Fence | undefined;
  for (let failures = 0; !stop.aborted && !letGo.aborted; failures += 1) {
    const ordinalBefore = status.snapshot().lastOrdinal;
    try {
      fence ??= await standBy(deps, play, restorer, AbortSignal.any([letGo, stop]));
      const whileLeased = AbortSignal.any([stop, fence.lost]);
      const log = await openLiveLog(deps, play, fence, whileLeased);
      try {
        await playOn(deps, play, log, restorer, { letGo, stop: whileLeased });
      } finally {
        await log.close();
      }
      whileLeased.throwIfAborted();
    } catch (error) {
      if (stop.aborted || letGo.aborted) break;
      if (fence?.lost.aborted === true) {
        fence = undefined;
        play.player?.standBy(play.pending);
        play.pending = [];
        continue;
      }
      if (status.snapshot().lastOrdinal > ordinalBefore) failures = 0;
      play.isLogLost ||= isEventLogError(error, 'lost');
      play.isConflict ||= isEventLogError(error, 'conflict');
      logger.error({ symbol: row.symbol, err: error, isLogLost: play.isLogLost }, 'playing failed; retrying');
      status.stopped();
      await delay(backoffMs(failures, { minMs: 100, maxMs: 10_000 }), stop).catch(() => undefined);
    }
  }
  status.stopped();
}

async function standBy(deps: LiveSymbolDeps, play: LivePlay, restorer: Restorer, signal: AbortSignal): Promise<Fence> {
  const { row, inbox, clock, status } = deps;
  const isNews = (): void => {
    if (play.player !== undefined) return;
    play.player = new LivePlayer(row, { epoch: 0, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: clock.nowMs() });
    play.player.standBy();
  };
  const [over, ended] = [new AbortController(), new AbortController()];
  const holding = acquireLogLease(deps, row.symbol, isNews, AbortSignal.any([signal, over.signal])).finally(() => ended.abort());
  holding.catch(() => undefined);
  let tick: Promise<void> | undefined;
  try {
    while (!ended.signal.aborted) {
      const { player } = play;
      if (player !== undefined) {
        takeAll(deps, player, restorer);
        player.keep();
        status.standsBy(player.couldTakeOver);
        restorer.look();
      }
      tick ??= nextTick(clock, ended.signal).finally(() => (tick = undefined));
      await Promise.race([tick, ...(player === undefined ? [] : [inbox.filled()])]);
    }
    return await holding;
  } finally {
    over.abort(new Error('the inbox has no reader'));
  }
}

function takeAll(deps: LiveSymbolDeps, player: LivePlayer, restorer: Restorer): void {
  const { inbox, clock } = deps;
  for (const item of inbox.take()) take(deps, player, restorer, item);
  if (inbox.size === 0) player.advanceTo(clock.nowMs());
}

async function playOn(
  deps: LiveSymbolDeps,
  play: LivePlay,
  { player, writer }: OpenLog,
  restorer: Restorer,
  { letGo, stop }: LiveSignals,
): Promise<void> {
  const { inbox, clock, status } = deps;
  let tick: Promise<void> | undefined;
  let isAtTick = true;
  while (!stop.aborted) {
    takeAll(deps, player, restorer);
    play.pending.push(...player.take());
    while (play.pending.length > 0) {
      const batch = play.pending.slice(0, batchEntriesMax);
      const lagMs = Math.max(0, clock.nowMs() - (batch[0]?.dueFeedClockMs ?? 0));
      await writer.append(
        batch.map((placed) => ({ placed, payload: encodeEvent(placed.event) })),
        false,
      );
      play.pending.splice(0, batch.length);
      status.appended(batch, lagMs);
      isAtTick = batch.at(-1)?.event.kind === 'tick';
    }
    if (letGo.aborted && isAtTick) return;
    restorer.look();
    tick ??= nextTick(clock, stop).finally(() => (tick = undefined));
    await Promise.race([inbox.filled(), tick]);
  }
}

function nextTick(clock: Clock, signal: AbortSignal): Promise<void> {
  return clock.waitUntil((Math.floor(clock.nowMs() / tickMs) + 1) * tickMs, signal).catch(() => undefined);
}

function take({ row, logger, status }: LiveSymbolDeps, player: LivePlayer, restorer: Restorer, item: InboxItem): void {
  switch (item.type) {
    case 'line':
      return player.accept(item.atMs, item.line);
    case 'frame_refused':
      logger.warn({ symbol: row.symbol }, 'messages of the venue were dropped unread');
      return player.frameRefused(item.atMs);
    case 'overflow':
      return player.overflowed(item.atMs);
    case 'unlisted':
      logger.warn({ symbol: row.symbol, reason: item.reason }, 'the venue does not list the instrument');
      player.unlisted(item.atMs, item.reason);
      return status.missing(item.reason);
    case 'disconnected':
      logger.warn({ symbol: row.symbol, reason: item.reason }, 'disconnected');
      return player.disconnected(item.atMs, item.reason);
    case 'connected':
      logger.info({ symbol: row.symbol }, 'connected');
      if (player.knownToMs !== undefined) void item.connection.catchUp(row.venueInstrument, player.knownToMs);
      player.connected(item.atMs);
      restorer.connected(item.connection, item.ended);
      return status.connected();
  }
}

const tailBatchEntries = 2_000;

/** Scans the whole log: a little over an hour of entries. */
async function readLogTail(eventLog: EventLog, symbol: string): Promise<LogTail> {
  const scan = new LogTailScan();
  for (let after = LOG_START; ; ) {
    const entries = await eventLog.read(symbol, after, { count: tailBatchEntries });
    for (const { payload } of entries) scan.accept(decodeEvent(payload));
    const last = entries.at(-1);
    if (last === undefined) return scan.tail();
    after = { epoch: last.epoch, ordinal: last.ordinal };
  }
}

interface OpenLogDeps {
  readonly row: InstrumentRow;
  readonly eventLog: EventLog;
  readonly store: FeedStateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly status: SymbolStatus;
  readonly settings: KeeperSettings;
}

interface LivePlay {
  player?: LivePlayer;
  /** From the player, not confirmed in the log. */
  pending: PlacedEvent[];
  isLogLost: boolean;
  /** The log has other entries than appended: another writer is active. */
  isConflict: boolean;
}

interface OpenLog {
  readonly player: LivePlayer;
  readonly writer: LogWriter;
  close(): Promise<void>;
}

/**
 * An existing player continues in place if the log ends where it left it; a standby takes over; otherwise the log
 * continues behind a gap.
 */
async function openLiveLog(deps: OpenLogDeps, play: LivePlay, fence: Fence, signal: AbortSignal): Promise<OpenLog> {
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
