import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { VenueConnection } from './venue-source';

/** What a restorer needs. */
export interface RestorerOptions {
  /** The venue's name. */
  readonly instrument: string;
  /** Whether something is missing that the venue must be asked for. */
  readonly isNeeded: () => boolean;
  /** The action due for a channel of the instrument that has been silent for too long. */
  readonly silence?: () => InstrumentSilence | undefined;
  /** The instrument is being subscribed again for this reason. */
  readonly onResubscribe?: (reason: string) => void;
  /** Called with the reason when the tries are used up, and without one when the missing part has come or another connection begins. */
  readonly onDegraded: (reason: string | undefined) => void;
  readonly logger: Logger;
  /** Uniform in [0, 1): the jitter of the delays. */
  readonly random: () => number;
  /** Waits; `delay` of the lifecycle library unless given. */
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** The action due for a channel that is silent while the connection answers pings. `reason` is one sentence. */
export interface InstrumentSilence {
  readonly due: 'resubscribe' | 'reconnect';
  readonly reason: string;
}

/** Restores one instrument: requests a missing book; subscribes a silent channel again, then gives the connection up. */
export interface Restorer {
  /** Starts over on a new connection; requests on the previous one are dropped. */
  connected(connection: VenueConnection, ended: AbortSignal): void;
  /** Acts, when something is missing and nothing is under way. */
  look(): void;
}

/** Tries before the book counts as degraded, and the delays after them, milliseconds. */
const TRIES_MAX = 5;
const DELAYS = { minMs: 250, maxMs: 3_000 } as const;
/** From then on it is asked for at this pace, milliseconds. */
const DEGRADED_RETRY_MS = 30_000;

/**
 * A restorer that retries: five tries, 250 ms to 3 s apart, each a single request to the venue; an answer that does not fit counts like
 * none. Then the book is degraded and requested every 30 s, until it fits or the connection ends.
 */
export function createRestorer(options: RestorerOptions): Restorer {
  const { instrument, isNeeded, silence, onResubscribe, onDegraded, logger, random, wait = delay } = options;
  let current: { readonly connection: VenueConnection; readonly ended: AbortSignal; isAsking: boolean } | undefined;

  function endSilence(connection: VenueConnection): void {
    const found = silence?.();
    if (found === undefined) return;
    logger.warn({ instrument, reason: found.reason }, found.due === 'resubscribe' ? 'subscribing again' : 'connecting again');
    if (found.due === 'reconnect') return connection.abandon(`${instrument}: ${found.reason}, though subscribed again`);
    onResubscribe?.(found.reason);
    void connection.resubscribe(instrument);
  }

  async function ask(connection: VenueConnection, ended: AbortSignal): Promise<void> {
    for (let tries = 1; isNeeded() && !ended.aborted; tries++) {
      let failure = 'what the venue answered does not fit';
      try {
        await connection.requestSnapshot(instrument);
      } catch (error) {
        if (ended.aborted) return;
        failure = error instanceof Error ? error.message : String(error);
        logger.warn({ instrument, tries, err: failure }, 'the venue gave no book');
      }
      await wait(backoffMs(Math.min(tries, TRIES_MAX) - 1, { ...DELAYS, random }), ended).catch(() => undefined);
      if (tries < TRIES_MAX || !isNeeded() || ended.aborted) continue;
      if (tries === TRIES_MAX) onDegraded(failure);
      await wait(DEGRADED_RETRY_MS, ended).catch(() => undefined);
    }
    if (!ended.aborted) onDegraded(undefined);
  }

  return {
    connected(connection, ended) {
      current = { connection, ended, isAsking: false };
      onDegraded(undefined);
    },
    look() {
      const active = current;
      if (active === undefined || active.ended.aborted) return;
      endSilence(active.connection);
      if (active.isAsking || !isNeeded()) return;
      active.isAsking = true;
      void ask(active.connection, active.ended).finally(() => (active.isAsking = false));
    },
  };
}
