import { type EntryId, type EventLog, type LogEntry } from '@market-state/event-log';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { readPosition, RECORDER } from '../store/positions';
import { type Committed, commitBatch, type CommitDeps, type Place } from './commit-batch';
import type { RecorderMetrics } from './recorder-metrics';
import { type Batch, toBatch } from '../store/copy-log-entries';
import { readRowState } from '../store/row-state';

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

/**
 * Writes a symbol's log to rows from its stored position on, until the signal aborts. Tries for ever when the stores are
 * away; stops, and says so, at an entry that is no event.
 */
export async function recordSymbol(deps: RecordDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const place = await untilDone(deps, symbol, signal, () => readPlace(deps, symbol));
  if (place === undefined) return;
  const { position } = place;
  const hints = createHints(deps, symbol);
  hints.publish(position);
  const batches = deps.log.follow(symbol, position, signal, { count: BATCH_MAX });
  try {
    await writeBatches(deps, symbol, place, batches, hints.publish, signal);
  } catch (error) {
    deps.onState(symbol, false);
    deps.logger.fatal({ symbol, err: error }, 'an entry of the event log cannot be read; the symbol is recorded no further');
  } finally {
    await batches.return();
    await hints.settled();
  }
}

type Batches = AsyncGenerator<LogEntry[], void, undefined>;

/** While one batch is written the next is read and made into rows, as long as the recorder is behind. */
async function writeBatches(
  deps: RecordDeps,
  symbol: string,
  start: Place,
  batches: Batches,
  publish: (position: EntryId) => void,
  signal: AbortSignal,
): Promise<void> {
  let place = start;
  let ahead: Promise<Batch | undefined> | undefined;
  for (;;) {
    const batch = await (ahead ?? nextBatch(batches));
    if (batch === undefined) return;
    const isBehind = batch.entries.length >= GATHER_BELOW;
    ahead = isBehind ? nextBatch(batches) : undefined;
    ahead?.catch(() => undefined);
    const committed = await untilDone(deps, symbol, signal, async (attempt) => {
      if (attempt > 0) place = await readPlace(deps, symbol);
      return write(deps, symbol, batch, place);
    });
    if (committed === undefined) return;
    place = committed;
    publish(place.position);
    if (!isBehind) await delay(GATHER_MS, signal).catch(() => undefined);
  }
}

async function readPlace({ pool }: RecordDeps, symbol: string): Promise<Place> {
  const position = await readPosition(pool, RECORDER, symbol);
  return { position, state: await readRowState(pool, symbol, position.ordinal) };
}

/** @throws {EventDecodeError} when a payload is no event */
async function nextBatch(batches: Batches): Promise<Batch | undefined> {
  const next = await batches.next();
  return next.done === true ? undefined : toBatch(next.value);
}

async function write(deps: RecordDeps, symbol: string, batch: Batch, place: Place): Promise<Committed> {
  const startedMs = performance.now();
  const committed = await commitBatch(deps, symbol, batch, place);
  deps.metrics.observe(symbol, committed, (performance.now() - startedMs) / 1_000);
  return committed;
}

/** Publishes positions for trimming, one at a time beside the writing; when it fails the next one will do. */
function createHints({ log, logger }: RecordDeps, symbol: string) {
  let publishing = Promise.resolve();
  return {
    publish(position: EntryId): void {
      publishing = publishing
        .then(() => log.setPosition(symbol, RECORDER, position))
        .catch((error: unknown) => logger.warn({ symbol, err: error }, 'the position could not be published'));
    },
    settled: () => publishing,
  };
}

/** Tries until it works, without losing its place; undefined when told to stop. */
async function untilDone<T>(deps: RecordDeps, symbol: string, signal: AbortSignal, work: (attempt: number) => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const result = await work(attempt);
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
