import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type MessageBatch, type MissingInstruments, type VenueConnection, VenueError, type VenueSource } from './venue-source';

/** Delays between connections, with full jitter, milliseconds. */
const RECONNECT = { minMs: 250, maxMs: 30_000 } as const;

/** What happens on a venue's connections, in order. */
export type ConnectionEvent =
  /** Open and subscribed, except for the missing instruments. The messages that follow are its own. */
  | { readonly type: 'connected'; readonly connection: VenueConnection; readonly missing: MissingInstruments }
  | { readonly type: 'messages'; readonly batch: MessageBatch }
  /** It ended; the next one is already being tried. `reason` is one sentence. */
  | { readonly type: 'disconnected'; readonly reason: string };

/** What the loop needs. */
interface RunConnectionOptions {
  readonly source: VenueSource;
  /** The venue's names. */
  readonly instruments: readonly string[];
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Uniform in [0, 1): the jitter of the delays. */
  readonly random: () => number;
  /** Waits; `delay` of the lifecycle library unless given. */
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** After a connection that lasted as long as the longest delay, the delays start over. */
const STEADY_MS = RECONNECT.maxMs;

/**
 * Keeps one connection to a venue: connects, subscribes, passes on what comes, and reconnects 250 ms to 30 s after it ended, with full
 * jitter. Ends when the signal aborts. An instrument that the venue does not list stops no other one.
 */
export async function* runConnection(options: RunConnectionOptions): AsyncGenerator<ConnectionEvent> {
  const { source, instruments, signal, logger, random, wait = delay } = options;
  for (let attempt = 0; !signal.aborted; attempt++) {
    let connection: VenueConnection | undefined;
    let isSubscribed = false;
    const startedMs = performance.now();
    try {
      connection = await source.connect(signal);
      const missing = await connection.subscribe(instruments);
      isSubscribed = true;
      yield { type: 'connected', connection, missing };
      for await (const batch of connection.messages()) yield { type: 'messages', batch };
      if (signal.aborted) return;
      yield { type: 'disconnected', reason: 'the connection was closed' };
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof VenueError)) throw error;
      logger.warn({ err: error, attempt }, isSubscribed ? 'connection to the venue lost' : 'connection to the venue failed');
      if (isSubscribed) yield { type: 'disconnected', reason: error.message };
    } finally {
      connection?.close();
    }
    if (performance.now() - startedMs >= STEADY_MS) attempt = 0;
    await wait(backoffMs(attempt, { ...RECONNECT, random }), signal).catch(() => undefined);
  }
}
