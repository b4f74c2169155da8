import { type LiveStart, LivePlayer, liveVenueOf, type PlacedEvent, type PlayedInstrument } from '@market-state/market-data';
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

/** What is told of a venue while it is followed. */
export interface VenueListener {
  /** A message that speaks of one instrument. `line` is a line of a recording. */
  onMessage(symbol: string, message: RawMessage, line: string): void;
  /** Sometimes, when a message was received and the exchange times in it. */
  onTimes?(symbol: string, receivedMs: number, exchangeTimesMs: readonly number[]): void;
  /** Entries that the messages gave. */
  onEntries?(symbol: string, entries: readonly PlacedEvent[]): void;
  /** A message that speaks of no instrument that is followed. */
  onOther?(message: RawMessage): void;
  /** The venue does not list the instrument; it is tried again when the metadata changes. */
  onMissing?(symbol: string, reason: string): void;
  /** A channel brings nothing though the connection answers: it is being subscribed again. */
  onSilent?(symbol: string, reason: string): void;
  /** A connection ended; the next one is being tried. */
  onLost?(reason: string): void;
  /** The venue did not give a whole book in five tries, 250 ms to 3 s apart; it is asked every 30 s. */
  onNoBook?(symbol: string, reason: string): void;
}

export interface FollowOptions {
  readonly source: VenueSource;
  readonly instruments: readonly PlayedInstrument[];
  readonly signal: AbortSignal;
}

/** How often silence is looked for, milliseconds. */
const LOOK_EVERY_MS = 250;
/** Time between two messages whose times are compared, milliseconds. */
const TIMED_EVERY_MS = 100;

/** A followed venue at its end: the log of each symbol as the feed would have made it. */
export type Players = ReadonlyMap<string, LivePlayer>;

/**
 * Follows instruments of one venue until the signal aborts, over as many connections as it takes, as the feed does: whole books are asked
 * for where they are needed.
 * @throws CliError when the venue can't be reached at all, or lists none of the instruments at the first connection
 */
export async function followVenue({ source, instruments, signal }: FollowOptions, listener: VenueListener): Promise<Players> {
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

  /** A message in so many milliseconds is enough to compare clocks by. */
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

  /** Silence shows without a message. */
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

/** One connection, to say at once that a venue is not there instead of trying for ever. */
async function reach(source: VenueSource, signal: AbortSignal): Promise<void> {
  try {
    (await source.connect(signal)).close();
  } catch (error) {
    throw error instanceof VenueError ? incomplete(error.message) : error;
  }
}

/** Aborts with the signal given, or after so many seconds. */
export function untilOver(signal: AbortSignal, seconds: number | undefined): { readonly signal: AbortSignal; end(): void } {
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1_000);
  signal.addEventListener('abort', end, { once: true });
  over.signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
    { once: true },
  );
  if (signal.aborted) end();
  return { signal: over.signal, end };
}
