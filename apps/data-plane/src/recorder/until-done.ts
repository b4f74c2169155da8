import type { EventLog } from '@market-state/event-log';
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
