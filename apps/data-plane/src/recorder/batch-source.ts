import type { EntryId, EventLog } from '@market-state/event-log';
import { CopyBinary } from '@market-state/postgres';
import { type Batch, toBatch } from '../store/copy-log-entries';

/** Most entries of one transaction. */
const BATCH_MAX = 2_000;
/** Batches that exist at once: one that is committed, one whose rows are sent, one that is made. */
const BATCHES_MAX = 3;

/** Batches of a symbol's log in order. A batch's rows hold until the third one after it is asked for. */
export interface BatchSource {
  /**
   * What waits in the log, as rows; undefined when there is no more because the signal has aborted.
   * @throws {EventDecodeError} when a payload is no event
   */
  next(): Promise<Batch | undefined>;
  close(): Promise<unknown>;
}

export function openBatches(log: EventLog, symbol: string, position: EntryId, signal: AbortSignal): BatchSource {
  const entries = log.follow(symbol, position, signal, { count: BATCH_MAX });
  const copies = Array.from({ length: BATCHES_MAX }, () => new CopyBinary());
  return {
    async next() {
      const read = await entries.next();
      if (read.done === true) return undefined;
      const copy = copies.shift() ?? new CopyBinary();
      copies.push(copy);
      return toBatch(read.value, copy);
    },
    close: () => entries.return(),
  };
}
