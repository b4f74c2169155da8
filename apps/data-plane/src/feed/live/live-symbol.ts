import { isEventLogError } from '@market-state/event-log';
import { backoffMs, delay } from '@market-state/lifecycle';
import { encodeEvent, type LivePlayer } from '@market-state/market-data';
import { createRestorer, type Restorer } from '@market-state/venues';
import type { Clock } from '../clock';
import type { Inbox, InboxItem } from './inbox';
import { type LivePlay, type OpenLog, type OpenLogDeps, openLiveLog } from './open-live-log';

export interface LiveSymbolDeps extends OpenLogDeps {
  readonly inbox: Inbox;
}

const tickMs = 250;
/** Entries of one append at most. */
const batchEntriesMax = 200;

/**
 * Plays a live symbol into its log until the signal aborts. While a store is away everything waits, and then goes on as if nothing
 * had been; a log that is lost goes on in a new epoch. The connection to the venue is another's, and is not touched by any of it.
 */
export async function playLive(deps: LiveSymbolDeps, signal: AbortSignal): Promise<void> {
  const { row, logger, status } = deps;
  const play: LivePlay = { pending: [], isLogLost: false, isConflict: false };
  const restorer = createRestorer({
    instrument: row.venueInstrument,
    isNeeded: () => play.player?.needsSnapshot === true,
    onDegraded: (reason) => status.degraded(reason !== undefined),
    logger,
    random: Math.random,
  });
  for (let failures = 0; !signal.aborted; failures += 1) {
    const ordinalBefore = status.snapshot().lastOrdinal;
    try {
      const log = await openLiveLog(deps, play, signal);
      try {
        await playOn(deps, play, log, restorer, signal);
      } finally {
        await log.close();
      }
    } catch (error) {
      if (signal.aborted) break;
      if (status.snapshot().lastOrdinal > ordinalBefore) failures = 0;
      play.isLogLost ||= isEventLogError(error, 'lost');
      play.isConflict ||= isEventLogError(error, 'conflict');
      logger.error({ symbol: row.symbol, err: error, isLogLost: play.isLogLost }, 'playing failed and is tried again');
      status.stopped();
      await delay(backoffMs(failures, { minMs: 100, maxMs: 10_000 }), signal).catch(() => undefined);
    }
  }
  status.stopped();
}

async function playOn(
  deps: LiveSymbolDeps,
  play: LivePlay,
  { player, writer }: OpenLog,
  restorer: Restorer,
  signal: AbortSignal,
): Promise<void> {
  const { inbox, clock, status } = deps;
  let tick: Promise<void> | undefined;
  while (!signal.aborted) {
    for (const item of inbox.take()) take(deps, player, restorer, item);
    if (inbox.size === 0) player.advanceTo(clock.nowMs());
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
    }
    restorer.look();
    tick ??= nextTick(clock, signal).finally(() => (tick = undefined));
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
      logger.warn({ symbol: row.symbol }, 'a frame was too large to be read');
      return player.frameRefused(item.atMs);
    case 'overflow':
      return player.overflowed(item.atMs);
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
