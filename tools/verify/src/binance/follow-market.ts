import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { type BookEvent, type FeedStatus, LivePlayer, type PlacedEvent, type TradeEvent } from '@market-state/market-data';
import { silentLogger } from '@market-state/logging';
import { comesTrue } from '@market-state/testing';
import { CONNECTION_LIMITS, createBinanceSource, createRestorer, runConnection } from '@market-state/venues';
import type { FaultyVenue } from './faulty-venue';
import type { RecordedMarket } from './recorded-market';

const OPEN_INTEREST_EVERY_MS = 10_000;
const METADATA_EVERY_MS = 300_000;
/** Long enough for the feed clock to close a book's last bucket. */
const AFTERWARDS_MS = 5_000;
const SETTLE_LIMIT_MS = 10_000;

export interface Followed {
  readonly books: readonly BookEvent[];
  readonly trades: readonly TradeEvent[];
  readonly statuses: readonly FeedStatus[];
  readonly last: PlacedEvent | undefined;
  readonly collapsed: number;
}

export interface FollowOptions {
  readonly recorded: RecordedMarket;
  readonly venue: FaultyVenue;
  readonly queueMax: number;
  readonly stall: number;
  readonly random: () => number;
}

/** Follows a market with the real source and player until everything is sent and read. */
export async function followMarket({ recorded, venue, queueMax, stall, random }: FollowOptions): Promise<Followed> {
  const { instrument, market } = recorded;
  const name = instrument.venueInstrument;
  const { clock } = venue;
  const player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: clock.nowMs() });
  const stop = new AbortController();
  const books: BookEvent[] = [];
  const trades: TradeEvent[] = [];
  const statuses: FeedStatus[] = [];
  let last: PlacedEvent | undefined;
  let collapsed = 0;
  let ended = new AbortController();
  let lastText = '';

  function take(): void {
    for (const entry of player.take()) {
      if (entry.event.kind === 'book') {
        books.push(entry.event);
        last = entry;
      } else if (entry.event.kind === 'trade') trades.push(entry.event);
      else if (entry.event.kind === 'feed_status') statuses.push(entry.event.status);
    }
  }

  const logger = silentLogger();
  const source = createBinanceSource({
    market,
    wsUrl: venue.wsUrl,
    restUrl: venue.restUrl,
    logger,
    wait,
    clock,
    limits: { ...CONNECTION_LIMITS, queueMax },
  });
  const restorer = createRestorer({
    instrument: name,
    isNeeded: () => player.needsSnapshot,
    onDegraded: () => undefined,
    logger,
    random,
    wait,
  });

  async function read(): Promise<void> {
    for await (const event of runConnection({ source, instruments: [name], signal: stop.signal, logger, random, wait })) {
      if (event.type === 'connected') {
        ended = new AbortController();
        player.connected(clock.nowMs());
        restorer.connected(event.connection, AbortSignal.any([ended.signal, stop.signal]));
      } else if (event.type === 'disconnected') {
        ended.abort();
        player.disconnected(clock.nowMs(), event.reason);
      } else {
        const { messages, overflow, refusedFrameMs } = event.batch;
        if (refusedFrameMs !== undefined) player.frameRefused(refusedFrameMs);
        if (overflow !== undefined) {
          for (const count of Object.values(overflow.collapsedBooks)) collapsed += count;
          player.overflowed(messages[0]?.receivedMs ?? clock.nowMs());
        }
        for (const { receivedMs, receivedNs, text } of messages) player.accept(receivedMs, `${receivedNs} ${text}`);
        for (const { text } of messages) if (!isAnswer(text)) lastText = text;
        restorer.look();
        if (random() < stall) for (let turns = Math.floor(random() * 60); turns > 0; turns--) await turn();
      }
      take();
    }
  }

  const reading = read();
  await venue.play();
  function isSettled(): boolean {
    restorer.look();
    return !player.needsSnapshot && lastText === venue.lastText;
  }
  await comesTrue(isSettled, { limitMs: SETTLE_LIMIT_MS, everyMs: 1 });
  player.advanceTo(clock.nowMs() + AFTERWARDS_MS);
  take();
  stop.abort();
  await reading;
  return { books, trades, statuses, last, collapsed };
}

/** Delays are skipped, except for open interest and metadata: irrelevant here, so they are read once. */
async function wait(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs !== OPEN_INTEREST_EVERY_MS && durationMs !== METADATA_EVERY_MS) return turn();
  signal.throwIfAborted();
  await once(signal, 'abort');
}

function isAnswer(text: string): boolean {
  return text.includes('@depthSnapshot"');
}
