import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type MessageBatch, type MissingInstruments, type VenueConnection, VenueError, type VenueSource } from './venue-source';

const RECONNECT = { minMs: 250, maxMs: 30_000 } as const;

export type ConnectionEvent =
  /** Open and subscribed, except for missing instruments. */
  | { readonly type: 'connected'; readonly connection: VenueConnection; readonly missing: MissingInstruments }
  | { readonly type: 'messages'; readonly batch: MessageBatch }
  /** Reconnecting is already in progress. `reason` is one sentence. */
  | { readonly type: 'disconnected'; readonly reason: string };

interface RunConnectionOptions {
  readonly source: VenueSource;
  readonly instruments: readonly string[];
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly random: () => number;
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** A connection that lasts this long resets the backoff. */
const STEADY_MS = RECONNECT.maxMs;

/** Reconnects after 250 ms to 30 s with full jitter until the signal aborts. */
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
