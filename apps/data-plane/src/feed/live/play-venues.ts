import { type EventLog, isEventLogError } from '@market-state/event-log';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { encodeEvent, LivePlayer } from '@market-state/market-data';
import { createRestorer, type Restorer } from '@market-state/venues';
import type { FeedConfig } from '../../config';
import type { Clock } from '../clock';
import type { FeedStateStore } from '../feed-state';
import { type Leases, type Fence, acquireLogLease } from '../leases';
import type { KeeperSettings } from '../log-keeper';
import type { SymbolStatus } from '../symbol-status';
import { createInbox, type Inbox, type InboxItem } from './inbox';
import { keepConnection, type VenueMetrics } from './keep-connection';
import { venueConnections } from './venue-connections';
import { type LivePlay, type OpenLog, type OpenLogDeps, openLiveLog } from './open-live-log';

interface LiveSymbolDeps extends OpenLogDeps {
  readonly inbox: Inbox;
  readonly leases: Leases;
}

const tickMs = 250;
const batchEntriesMax = 200;

/** `letGo`: write a final tick first, so that another feed can continue; `stop`: immediately. */
interface LiveSignals {
  readonly letGo: AbortSignal;
  readonly stop: AbortSignal;
}

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
