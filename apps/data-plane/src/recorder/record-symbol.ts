import { delay } from '@market-state/lifecycle';
import { createHints, type RecordDeps, untilDone } from './hints';
import { readPlace, SymbolWriter } from './symbol-writer';
import type { EntryId, EventLog } from '@market-state/event-log';
import { CopyBinary } from '@market-state/postgres';
import { type Batch, toBatch } from '../store/copy-log-entries';

/** Most entries of one transaction. */
const BATCH_MAX = 2_000;
/** Batches that exist at once: one that is committed, one whose rows are sent, one that is made. */
const BATCHES_MAX = 3;

/** Batches of a symbol's log in order. A batch's rows hold until the third one after it is asked for. */
interface BatchSource {
  /**
   * What waits in the log, as rows; undefined when there is no more because the signal has aborted.
   * @throws {EventDecodeError} when a payload is no event
   */
  next(): Promise<Batch | undefined>;
  close(): Promise<unknown>;
}

function openBatches(log: EventLog, symbol: string, position: EntryId, signal: AbortSignal): BatchSource {
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

/** A batch smaller than this means that the recorder has caught up: then it lets entries gather. */
const GATHER_BELOW = 200;
/** Streams tell rows once they are recorded: longer would be cheaper, and late. */
const GATHER_MS = 100;

/**
 * Writes a symbol's log to rows from its stored position on, until the signal aborts. Tries for ever when the stores are
 * away; stops, and says so, at an entry that is no event.
 */
export async function recordSymbol(deps: RecordDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const place = await untilDone(deps, symbol, signal, () => readPlace(deps, symbol));
  if (place === undefined) return;
  const hints = createHints(deps, symbol);
  hints.publish(place.position);
  const source = openBatches(deps.log, symbol, place.position, signal);
  const writer = new SymbolWriter(deps, symbol, place, hints, signal);
  try {
    await writeBatches(source, writer, signal);
  } catch (error) {
    await writer.settle();
    deps.onState(symbol, false);
    deps.logger.fatal({ symbol, err: error }, 'an entry of the event log cannot be read; the symbol is recorded no further');
  } finally {
    await source.close();
    await hints.settled();
  }
}

/** While one batch is written the next is read and made into rows, as long as the recorder is behind. */
async function writeBatches(source: BatchSource, writer: SymbolWriter, signal: AbortSignal): Promise<void> {
  for (let next = source.next(); ; ) {
    const batch = await next;
    if (batch === undefined) return writer.settle();
    await writer.begin(batch);
    if (batch.entries.length >= GATHER_BELOW) {
      next = source.next();
      // Nothing more may come for long: what was begun is seen through meanwhile.
      const first = await Promise.race([
        next.then(
          () => 'next',
          () => 'next',
        ),
        writer.whenAnswered().then(() => 'answered'),
      ]);
      if (first === 'answered') await writer.settle();
    } else {
      await writer.settle();
      await delay(GATHER_MS, signal).catch(() => undefined);
      next = source.next();
    }
  }
}
