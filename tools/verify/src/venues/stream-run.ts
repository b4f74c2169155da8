import { setImmediate as turn } from 'node:timers/promises';
import { silentLogger } from '@market-state/logging';
import {
  listingReasons,
  LivePlayer,
  liveVenueOf,
  type MarketEvent,
  type PlayedInstrument,
  urlsBelow,
  venueOf,
} from '@market-state/market-data';
import type { StandIn } from '@market-state/simulated-venue';
import { createRestorer, createVenueSource, type Restorer, runConnection, type VenueConnection } from '@market-state/venues';

/** Quiet turns of the event loop after which nothing more is on its way. */
const QUIET_TURNS = 4;

interface Sleeper {
  readonly atMs: number;
  readonly resolve: () => void;
}

/** A venue's real adapter on a stand-in, as the feed runs it, on the stand-in's clock. */
export class StreamRun {
  reconnections = 0;
  readonly missing: string[] = [];
  private readonly player: LivePlayer;
  private readonly stop = new AbortController();
  private readonly running: Promise<void>;
  private readonly restorer: Restorer;
  private sleepers: Sleeper[] = [];
  private connection: VenueConnection | undefined;
  private ended = new AbortController();
  private failure: unknown;
  private messages = 0;

  constructor(
    venue: StandIn,
    private readonly instrument: PlayedInstrument,
    private nowMs: number,
    private readonly random: () => number,
  ) {
    const known = venueOf(instrument.venue);
    if (known === undefined) throw new Error(`${instrument.venue} is no venue`);
    this.player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: nowMs });
    const source = createVenueSource(instrument.venue, {
      ...urlsBelow(known, venue.restUrl),
      logger: silentLogger(),
      clock: { nowMs: () => this.nowMs },
      metadata: listingReasons(instrument.venue, [instrument]),
      wait: (durationMs, signal) => this.sleep(durationMs, signal),
    });
    this.restorer = createRestorer({
      instrument: instrument.venueInstrument,
      isNeeded: () => this.player.needsSnapshot,
      silence: () => this.player.silence,
      onResubscribe: () => this.player.resubscribed(),
      onDegraded: () => undefined,
      logger: silentLogger(),
      random,
      wait: (durationMs, signal) => this.sleep(durationMs, signal),
    });
    this.running = this.follow(source).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Moves the clock and reads what the venue has sent until then. */
  async advanceTo(nowMs: number): Promise<readonly MarketEvent[]> {
    await this.settle();
    this.nowMs = nowMs;
    const due = this.sleepers.filter(({ atMs }) => atMs <= nowMs);
    this.sleepers = this.sleepers.filter(({ atMs }) => atMs > nowMs);
    for (const { resolve } of due) resolve();
    if (due.length > 0) await this.settle();
    this.player.advanceTo(nowMs);
    this.restorer.look();
    if (this.failure !== undefined) throw this.failure;
    return this.player.take().map(({ event }) => event);
  }

  get isConnected(): boolean {
    return this.player.isConnected;
  }

  get rejections(): LivePlayer['rejections'] {
    return this.player.rejections;
  }

  async close(): Promise<void> {
    this.stop.abort(new Error('the run is over'));
    for (const { resolve } of this.sleepers) resolve();
    this.connection?.close();
    await this.running;
  }

  private sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = { atMs: this.nowMs + durationMs, resolve };
      this.sleepers.push(sleeper);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private async follow(source: ReturnType<typeof createVenueSource>): Promise<void> {
    const { venue, venueInstrument } = this.instrument;
    const { namesOf } = liveVenueOf(venue);
    const { signal } = this.stop;
    const wait = (durationMs: number, ended: AbortSignal): Promise<void> => this.sleep(durationMs, ended);
    const options = { source, instruments: [venueInstrument], signal, logger: silentLogger(), random: this.random, wait };
    for await (const event of runConnection(options)) {
      this.messages++;
      if (event.type === 'connected') {
        this.ended = new AbortController();
        this.connection = event.connection;
        this.list(event.missing.get(venueInstrument));
      } else if (event.type === 'disconnected') {
        this.reconnections++;
        this.ended.abort(new Error('disconnected'));
        this.player.disconnected(this.nowMs, event.reason);
      } else {
        const { messages, listing } = event.batch;
        if (listing !== undefined) this.list(listing.missing);
        for (const { receivedMs, receivedNs, text } of messages) {
          const line = `${receivedNs} ${text}`;
          if (namesOf(line).includes(venueInstrument)) this.player.accept(receivedMs, line);
        }
      }
    }
  }

  private list(missing: string | undefined): void {
    if (this.connection === undefined) return;
    if (missing !== undefined) {
      this.missing.push(missing);
      return this.player.unlisted(this.nowMs, missing);
    }
    if (this.player.knownToMs !== undefined) void this.connection.catchUp(this.instrument.venueInstrument, this.player.knownToMs);
    this.player.connected(this.nowMs);
    this.restorer.connected(this.connection, AbortSignal.any([this.ended.signal, this.stop.signal]));
  }

  private async settle(): Promise<void> {
    let quiet = 0;
    for (let before = -1; quiet < QUIET_TURNS; ) {
      const read = this.messages + (this.connection?.counts.received ?? 0);
      quiet = read === before ? quiet + 1 : 0;
      before = read;
      await turn();
    }
  }
}
