import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { VenueConnection } from './venue-source';

export interface RestorerOptions {
  readonly instrument: string;
  readonly isNeeded: () => boolean;
  readonly silence?: () => InstrumentSilence | undefined;
  readonly onResubscribe?: (reason: string) => void;
  /** Called with a reason when retries are exhausted, and without one on recovery or a new connection. */
  readonly onDegraded: (reason: string | undefined) => void;
  readonly logger: Logger;
  readonly random: () => number;
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** Applies when a channel is silent although the connection answers pings. */
export interface InstrumentSilence {
  readonly due: 'resubscribe' | 'reconnect';
  readonly reason: string;
}

/** Requests a missing book; resubscribes a silent channel, then reconnects. */
export interface Restorer {
  connected(connection: VenueConnection, ended: AbortSignal): void;
  look(): void;
}

const TRIES_MAX = 5;
const DELAYS = { minMs: 250, maxMs: 3_000 } as const;
const DEGRADED_RETRY_MS = 30_000;

/** Makes five attempts, 250 ms to 3 s apart. The book is then degraded and requested every 30 s. */
export function createRestorer(options: RestorerOptions): Restorer {
  const { instrument, isNeeded, silence, onResubscribe, onDegraded, logger, random, wait = delay } = options;
  let current: { readonly connection: VenueConnection; readonly ended: AbortSignal; isAsking: boolean } | undefined;

  function endSilence(connection: VenueConnection): void {
    const found = silence?.();
    if (found === undefined) return;
    logger.warn({ instrument, reason: found.reason }, found.due === 'resubscribe' ? 'resubscribing' : 'reconnecting');
    if (found.due === 'reconnect') return connection.abandon(`${instrument}: ${found.reason}, even after resubscribing`);
    onResubscribe?.(found.reason);
    void connection.resubscribe(instrument);
  }

  async function ask(connection: VenueConnection, ended: AbortSignal): Promise<void> {
    for (let tries = 1; isNeeded() && !ended.aborted; tries++) {
      let failure = 'unusable response from the venue';
      try {
        await connection.requestSnapshot(instrument);
      } catch (error) {
        if (ended.aborted) return;
        failure = error instanceof Error ? error.message : String(error);
        logger.warn({ instrument, tries, err: failure }, 'the venue sent no book');
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
