import { type LiveStart, LivePlayer, liveVenueOf, type PlacedEvent, type PlayedInstrument } from '@market-state/market-data';
import { timeLimit } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import {
  createRestorer,
  type ListingChange,
  type RawMessage,
  runConnection,
  type VenueConnection,
  VenueError,
  type VenueSource,
} from '@market-state/venues';
import { badInput, incomplete } from '../cli-error';

export interface VenueListener {
  /** Message of one instrument. `line` is a line of a recording. */
  onMessage(symbol: string, message: RawMessage, line: string): void;
  /** Called for a sample of messages with the receive time and the exchange times in the message. */
  onTimes?(symbol: string, receivedMs: number, exchangeTimesMs: readonly number[]): void;
  /** Log entries produced by the messages. */
  onEntries?(symbol: string, entries: readonly PlacedEvent[]): void;
  /** Message of no followed instrument. */
  onOther?(message: RawMessage): void;
  /** The venue does not list the instrument; retried when the metadata changes. */
  onMissing?(symbol: string, reason: string): void;
  /** A channel is silent although the connection responds; it is being resubscribed. */
  onSilent?(symbol: string, reason: string): void;
  /** A connection ended; reconnecting. */
  onLost?(reason: string): void;
  /** No complete book after five tries, 250 ms to 3 s apart; retried every 30 s. */
  onNoBook?(symbol: string, reason: string): void;
}

export interface FollowOptions {
  readonly source: VenueSource;
  readonly instruments: readonly PlayedInstrument[];
  /** Unlimited if absent. */
  readonly seconds?: number;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 250;
/** Minimum time in milliseconds between sampled messages. */
const TIMED_EVERY_MS = 100;

export type Players = ReadonlyMap<string, LivePlayer>;

/**
 * As the feed does: over several connections if needed, with snapshots where required.
 * @throws CliError if the first connection fails or lists none of the instruments
 */
export async function followVenue(options: FollowOptions, listener: VenueListener): Promise<Players> {
  const { source, instruments, seconds } = options;
  const signal = seconds === undefined ? options.signal : AbortSignal.any([options.signal, timeLimit(seconds * 1_000)]);
  await reach(source, signal);
  const start: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: Date.now() };
  const players = new Map(instruments.map((instrument) => [instrument.symbol, new LivePlayer(instrument, start)]));
  const symbolOf = new Map(instruments.map(({ symbol, venueInstrument }) => [venueInstrument, symbol]));
  const { namesOf, exchangeTimesOf } = liveVenueOf(instruments[0]?.venue ?? '');
  const restorers = instruments.map(({ symbol, venueInstrument }) =>
    createRestorer({
      instrument: venueInstrument,
      isNeeded: () => players.get(symbol)?.needsSnapshot === true,
      silence: () => players.get(symbol)?.silence,
      onResubscribe(reason) {
        players.get(symbol)?.resubscribed();
        listener.onSilent?.(symbol, reason);
      },
      onDegraded: (reason) => (reason === undefined ? undefined : listener.onNoBook?.(symbol, reason)),
      logger: silentLogger(),
      random: Math.random,
    }),
  );
  const timedMs = new Map<string, number>();
  let ended = new AbortController();
  let connection: VenueConnection | undefined;
  let wasConnected = false;

  function takeListing({ instrument: name, missing }: ListingChange): void {
    const place = instruments.findIndex(({ venueInstrument }) => venueInstrument === name);
    const symbol = symbolOf.get(name);
    if (symbol === undefined || connection === undefined) return;
    const player = players.get(symbol);
    if (missing !== undefined) {
      player?.unlisted(Date.now(), missing);
      return listener.onMissing?.(symbol, missing);
    }
    if (player?.knownToMs !== undefined) void connection.catchUp(name, player.knownToMs);
    player?.connected(Date.now());
    restorers[place]?.connected(connection, AbortSignal.any([ended.signal, signal]));
  }

  function take(message: RawMessage): void {
    const line = `${message.receivedNs} ${message.text}`;
    const symbols = namesOf(line).flatMap((name) => symbolOf.get(name) ?? []);
    if (symbols.length === 0) listener.onOther?.(message);
    timeMessages(line, message.receivedMs);
    for (const symbol of symbols) {
      players.get(symbol)?.accept(message.receivedMs, line);
      listener.onMessage(symbol, message, line);
    }
  }

  /** A sample is enough to compare clocks. */
  function timeMessages(line: string, receivedMs: number): void {
    if (listener.onTimes === undefined) return;
    for (const name of namesOf(line)) {
      const symbol = symbolOf.get(name);
      if (symbol === undefined || receivedMs - (timedMs.get(name) ?? 0) < TIMED_EVERY_MS) continue;
      const times = exchangeTimesOf(line, name);
      if (times.length === 0) continue;
      timedMs.set(name, receivedMs);
      listener.onTimes(symbol, receivedMs, times);
    }
  }

  /** Detects silence, which produces no message. */
  function look(): void {
    for (const player of players.values()) if (player.isConnected) player.advanceTo(Date.now());
    for (const restorer of restorers) restorer.look();
  }

  const names = instruments.map(({ venueInstrument }) => venueInstrument);
  const looking = setInterval(look, LOOK_EVERY_MS);
  try {
    for await (const event of runConnection({ source, instruments: names, signal, logger: silentLogger(), random: Math.random })) {
      if (event.type === 'connected') {
        const { missing } = event;
        if (!wasConnected && names.every((name) => missing.has(name))) throw badInput(...missing.values());
        wasConnected = true;
        ended = new AbortController();
        connection = event.connection;
        for (const instrument of names) takeListing({ instrument, missing: missing.get(instrument) });
      } else if (event.type === 'disconnected') {
        ended.abort();
        for (const player of players.values()) player.disconnected(Date.now(), event.reason);
        listener.onLost?.(event.reason);
      } else {
        const { messages, overflow, refusedFrameMs, listing } = event.batch;
        if (listing !== undefined) takeListing(listing);
        if (refusedFrameMs !== undefined) for (const player of players.values()) player.frameRefused(refusedFrameMs);
        for (const name of Object.keys(overflow?.collapsedBooks ?? {}))
          players.get(symbolOf.get(name) ?? '')?.overflowed(messages[0]?.receivedMs ?? Date.now());
        for (const message of messages) take(message);
        for (const restorer of restorers) restorer.look();
      }
      for (const [symbol, player] of players) listener.onEntries?.(symbol, player.take());
    }
  } finally {
    clearInterval(looking);
  }
  return players;
}

/** Tries one connection first, so that an unreachable venue fails immediately instead of being retried forever. */
async function reach(source: VenueSource, signal: AbortSignal): Promise<void> {
  try {
    (await source.connect(signal)).close();
  } catch (error) {
    throw error instanceof VenueError ? incomplete(error.message) : error;
  }
}
