import { setImmediate as nextTurn } from 'node:timers/promises';

const BATCH_ITEMS = 1_000;

/** What is computed without waiting for anything, some at a time, so that signals are heard between. */
export async function* inBatches<T>(items: Iterable<T>, signal: AbortSignal): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH_ITEMS) continue;
    yield batch;
    batch = [];
    await nextTurn();
    signal.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}
