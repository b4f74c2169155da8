import type { EntryId, EventLog } from '@market-state/event-log';
import { RECORDER } from '../store/positions';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { CommitDeps } from './commit-batch';
import type { RecorderMetrics } from './recorder-metrics';

/** What recording a symbol uses. */
export interface RecordDeps extends CommitDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly metrics: RecorderMetrics;
  /** Tells whether writing works. */
  readonly onState: (symbol: string, isWriting: boolean) => void;
}

/** Tries until it works; undefined when told to stop. */
export async function untilDone<T>(deps: RecordDeps, symbol: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const result = await work();
      deps.onState(symbol, true);
      return result;
    } catch (error) {
      deps.onState(symbol, false);
      deps.logger.warn({ symbol, attempt, err: error }, 'rows could not be written; trying again');
      await delay(backoffMs(attempt, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
    }
  }
  return undefined;
}

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
