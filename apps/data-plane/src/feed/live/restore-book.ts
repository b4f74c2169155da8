import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type VenueConnection, VenueError } from '@market-state/venues';

export interface RestorerDeps {
  /** The venue's name. */
  readonly instrument: string;
  /** Something is missing that the venue must be asked for. */
  readonly isNeeded: () => boolean;
  /** Told once the tries are used up, and once what was missing is there after all. */
  readonly onDegraded: (isDegraded: boolean) => void;
  readonly logger: Logger;
}

/** Asks the venue for what is missing of one instrument. */
export interface Restorer {
  /** Another connection begins; what was asked on the one before is forgotten. */
  connected(connection: VenueConnection, ended: AbortSignal): void;
  /** Asks, when something is missing and nothing is asked yet. */
  look(): void;
}

/** Tries before the book counts as degraded, and the delays after them. */
const triesMax = 5;
const delays = { minMs: 250, maxMs: 3_000 };
/** From then on it is asked for at this pace, milliseconds. */
const degradedRetryMs = 30_000;

export function createRestorer({ instrument, isNeeded, onDegraded, logger }: RestorerDeps): Restorer {
  let current: { readonly connection: VenueConnection; readonly ended: AbortSignal; isAsking: boolean } | undefined;

  async function ask(connection: VenueConnection, ended: AbortSignal): Promise<void> {
    for (let tries = 1; isNeeded() && !ended.aborted; tries++) {
      try {
        await connection.requestSnapshot(instrument);
      } catch (error) {
        if (ended.aborted) return;
        logger.warn({ instrument, tries, err: error instanceof VenueError ? error.message : error }, 'the venue gave no book');
      }
      await delay(backoffMs(Math.min(tries, triesMax) - 1, delays), ended).catch(() => undefined);
      if (tries < triesMax || !isNeeded() || ended.aborted) continue;
      onDegraded(true);
      await delay(degradedRetryMs, ended).catch(() => undefined);
    }
    if (!ended.aborted) onDegraded(false);
  }

  return {
    connected(connection, ended) {
      current = { connection, ended, isAsking: false };
      onDegraded(false);
    },
    look() {
      const asked = current;
      if (asked === undefined || asked.isAsking || asked.ended.aborted || !isNeeded()) return;
      asked.isAsking = true;
      void ask(asked.connection, asked.ended).finally(() => (asked.isAsking = false));
    },
  };
}
