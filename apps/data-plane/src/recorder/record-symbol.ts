import { type EntryId, type EventLog, type LogEntry } from '@market-state/event-log';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { readPosition, RECORDER } from '../store/positions';
import { type Committed, commitBatch, type CommitDeps } from './commit-batch';
import type { RecorderMetrics } from './recorder-metrics';
import { toRecordedEntry } from './row';

/** Most entries of one transaction. */
const BATCH_MAX = 2_000;
/** A batch smaller than this means that the recorder has caught up: then it lets entries gather. */
const GATHER_BELOW = 200;
const GATHER_MS = 100;

export interface RecordDeps extends CommitDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly metrics: RecorderMetrics;
  /** Tells whether writing works. */
  readonly onState: (symbol: string, isWriting: boolean) => void;
}

/** Writes a symbol's log to rows from its stored position on, until the signal aborts. Never gives up on an error. */
export async function recordSymbol(deps: RecordDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const position = await untilDone(deps, symbol, signal, () => readPosition(deps.pool, RECORDER, symbol));
  if (position === undefined) return;
  await publish(deps, symbol, position);
  const batches = deps.log.follow(symbol, position, signal, { count: BATCH_MAX });
  try {
    let readAhead: Promise<IteratorResult<LogEntry[], void>> | undefined;
    for (;;) {
      const next = await (readAhead ?? batches.next());
      if (next.done === true) return;
      const isBehind = next.value.length >= GATHER_BELOW;
      readAhead = isBehind ? batches.next() : undefined;
      const committed = await untilDone(deps, symbol, signal, () => writeBatch(deps, symbol, next.value));
      if (committed === undefined) return;
      await publish(deps, symbol, committed.position);
      if (!isBehind) await delay(GATHER_MS, signal).catch(() => undefined);
    }
  } finally {
    await batches.return();
  }
}

async function writeBatch(deps: RecordDeps, symbol: string, entries: readonly LogEntry[]): Promise<Committed> {
  const startedMs = performance.now();
  const committed = await commitBatch(deps, symbol, entries.map(toRecordedEntry));
  deps.metrics.observe(symbol, committed, (performance.now() - startedMs) / 1_000);
  return committed;
}

/** The position in the log's store is a hint for trimming; when it cannot be published the next one will do. */
async function publish(deps: RecordDeps, symbol: string, position: EntryId): Promise<void> {
  await deps.log.setPosition(symbol, RECORDER, position).catch((error: unknown) => {
    deps.logger.warn({ symbol, err: error }, 'the position could not be published');
  });
}

/** Tries until it works, without losing its place; undefined when told to stop. */
async function untilDone<T>(deps: RecordDeps, symbol: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const result = await work();
      deps.onState(symbol, true);
      return result;
    } catch (error) {
      deps.onState(symbol, false);
      deps.logger.error({ symbol, attempt, err: error }, 'rows could not be written; trying again');
      await delay(backoffMs(attempt, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
    }
  }
  return undefined;
}
