import type { EntryId } from '@market-state/event-log';
import { RECORDER } from '../store/positions';
import type { RecordDeps } from './until-done';

/** Positions published for trimming, one at a time beside the writing; when one fails the next will do. */
export interface Hints {
  publish(position: EntryId): void;
  /** Resolves when all are published, or have failed. */
  settled(): Promise<void>;
}

export function createHints({ log, logger }: RecordDeps, symbol: string): Hints {
  let publishing = Promise.resolve();
  return {
    publish(position) {
      publishing = publishing
        .then(() => log.setPosition(symbol, RECORDER, position))
        .catch((error: unknown) => logger.warn({ symbol, err: error }, 'the position could not be published'));
    },
    settled: () => publishing,
  };
}
