import { setImmediate as turn } from 'node:timers/promises';
import { silentLogger } from '@market-state/logging';
import { instrumentRows, LivePlayer, type MarketEvent } from '@market-state/market-data';
import type { SimulatedVenue } from '@market-state/simulated-venue';
import { createHyperliquidSource, runConnection, type VenueConnection, type VenueSource } from '@market-state/venues';

/** Interval of requests for missing books and trades, in milliseconds of the venue's clock. */
const ASK_EVERY_MS = 500;
/** Answers after a reconnect: contexts, trades, book, payments. */
const ANSWERS_AFTER_RECONNECT = 4;
/** Event loop iterations to wait for answers: the venue may disconnect again before they arrive. */
const TURNS_MAX = 20_000;

export class AdapterRun {
  oversizedFrames = 0;
  reconnections = 0;
  private readonly player: LivePlayer;
  private readonly stop = new AbortController();
  private readonly pending = new Set<Promise<unknown>>();
  private connection: VenueConnection | undefined;
  private wakeAt: { readonly atMs: number; readonly resolve: () => void } | undefined;
  private requestedAtMs = 0;
  private answers = 0;
  private failure: unknown;
  private readonly running: Promise<void>;

  constructor(
    venue: SimulatedVenue,
    private nowMs: number,
    random: () => number,
  ) {
    const instrument = instrumentRows.find(({ feed }) => feed === 'simulated');
    if (instrument === undefined) throw new Error("the simulated venue's instrument is unknown");
    this.player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: nowMs });
    const source = createHyperliquidSource({
      wsUrl: venue.wsUrl,
      restUrl: venue.restUrl,
      logger: silentLogger(),
      simulated: true,
      clock: { nowMs: () => this.nowMs },
    });
    this.running = this.follow(this.watched(source), instrument.venueInstrument, random).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Advances the venue's clock and waits until its messages are read. @returns new log events */
  async settleAt(nowMs: number): Promise<MarketEvent[]> {
    this.player.advanceTo(nowMs);
    await this.settle();
    if (this.failure !== undefined) throw this.failure;
    return this.player.take().map(({ event }) => event);
  }

  async clockAt(nowMs: number): Promise<void> {
    this.nowMs = nowMs;
    if (this.wakeAt === undefined || this.wakeAt.atMs > nowMs) return;
    const { resolve } = this.wakeAt;
    this.wakeAt = undefined;
    resolve();
    await this.settle();
  }

  get rejections(): LivePlayer['rejections'] {
    return this.player.rejections;
  }

  async close(): Promise<void> {
    this.stop.abort();
    this.wakeAt?.resolve();
    this.connection?.close();
    await this.running;
  }

  private async follow(source: VenueSource, instrument: string, random: () => number): Promise<void> {
    const wait = (durationMs: number): Promise<void> =>
      new Promise((resolve) => (this.wakeAt = { atMs: this.nowMs + durationMs, resolve }));
    for await (const event of runConnection({
      source,
      instruments: [instrument],
      signal: this.stop.signal,
      logger: silentLogger(),
      random,
      wait,
    })) {
      switch (event.type) {
        case 'connected':
          this.connection = event.connection;
          if (this.player.knownToMs !== undefined) void this.track(event.connection.catchUp(instrument, this.player.knownToMs));
          this.player.connected(this.nowMs);
          this.answers = 0;
          break;
        case 'messages':
          if (event.batch.refusedFrameMs !== undefined) this.player.frameRefused(event.batch.refusedFrameMs);
          for (const { receivedMs, receivedNs, text } of event.batch.messages) {
            if (!text.startsWith('{"channel"')) this.answers++;
            this.player.accept(receivedMs, `${receivedNs} ${text}`);
          }
          if (event.batch.overflow !== undefined) this.player.overflowed(this.nowMs);
          break;
        case 'disconnected':
          this.oversizedFrames += this.connection?.counts.oversizedFrames ?? 0;
          this.connection = undefined;
          this.reconnections++;
          this.player.disconnected(this.nowMs, event.reason);
      }
    }
    this.oversizedFrames += this.connection?.counts.oversizedFrames ?? 0;
  }

  private watched(source: VenueSource): VenueSource {
    return {
      connect: async (signal) => {
        const connection = await this.track(source.connect(signal));
        return {
          subscribe: (instruments) => this.track(connection.subscribe(instruments)),
          resubscribe: (instrument) => this.track(connection.resubscribe(instrument)),
          messages: () => connection.messages(),
          requestSnapshot: (instrument) => connection.requestSnapshot(instrument),
          catchUp: (instrument, sinceMs) => connection.catchUp(instrument, sinceMs),
          counts: connection.counts,
          abandon: (reason) => connection.abandon(reason),
          close: () => connection.close(),
        };
      },
    };
  }

  private track<T>(promise: Promise<T>): Promise<T> {
    const done = promise.then(
      () => undefined,
      () => undefined,
    );
    this.pending.add(done);
    void done.then(() => this.pending.delete(done));
    return promise;
  }

  private async settle(): Promise<void> {
    this.ask();
    do {
      await Promise.all(this.pending);
      await turn();
    } while (this.pending.size > 0);
    const isBack = this.reconnections > 0 && this.connection !== undefined;
    for (let turns = 0; isBack && this.connection !== undefined && this.answers < ANSWERS_AFTER_RECONNECT && turns < TURNS_MAX; turns++)
      await turn();
  }

  private ask(): void {
    if (this.connection === undefined || !this.player.needsSnapshot || this.nowMs - this.requestedAtMs < ASK_EVERY_MS) return;
    this.requestedAtMs = this.nowMs;
    this.track(this.connection.requestSnapshot('SIM')).catch(() => undefined);
  }
}
