import type { EntryId, EventLog } from '@market-state/event-log';
import { delay, backoffMs } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { CopyBinary } from '@market-state/postgres';
import { type Batch, toBatch } from '../store/copy-log-entries';
import { readPosition, RECORDER } from '../store/positions';
import { readRowState } from '../store/row-state';
import { type Committed, type CommitDeps, type Place, writeBatch, type Writing } from './commit-batch';
import type { RecorderMetrics } from './recorder-metrics';

/** Most entries of one transaction. */
const BATCH_MAX = 2_000;

/** Batches that exist at once: one that is committed, one whose rows are sent, one that is made. */
const BATCHES_MAX = 3;

/** A batch smaller than this means that the recorder has caught up: then it lets entries gather. */
const GATHER_BELOW = 200;

/** Streams tell rows once they are recorded: longer would be cheaper, and late. */
const GATHER_MS = 100;

/** What recording a symbol uses. */
interface RecordDeps extends CommitDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly metrics: RecorderMetrics;
  /** Tells whether writing works. */
  readonly onState: (symbol: string, isWriting: boolean) => void;
}

/** Tries until it works; undefined when told to stop. */
async function untilDone<T>(deps: RecordDeps, symbol: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
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
interface Hints {
  publish(position: EntryId): void;
  /** Resolves when all are published, or have failed. */
  settled(): Promise<void>;
}

function createHints({ log, logger }: RecordDeps, symbol: string): Hints {
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

/** Where a symbol's rows end, as it is stored. */
async function readPlace({ pool }: CommitDeps, symbol: string): Promise<Place> {
  const position = await readPosition(pool, RECORDER, symbol);
  return { position, state: await readRowState(pool, symbol, position.ordinal) };
}

/** A batch on its way. */
interface Flight {
  readonly batch: Batch;
  readonly writing: Writing;
  readonly startedMs: number;
}

/**
 * Writes batches of one symbol in their order. The rows of one go to the database while the one before it is committed: two are on their
 * way at most. What fails is written again, alone, for as long as it takes; when the signal aborts it is given up.
 */
class SymbolWriter {
  /** Oldest first. */
  private flights: Flight[] = [];

  /** @param place where the stored rows end */
  constructor(
    private readonly deps: RecordDeps,
    private readonly symbol: string,
    private place: Place,
    private readonly hints: Hints,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves when the batch has begun: all before its predecessor are committed then, and the predecessor's rows are with the database. */
  async begin(batch: Batch): Promise<void> {
    await this.settleTo(1);
    const [last] = this.flights;
    const { copied, committed } = last?.writing ?? { copied: Promise.resolve(this.place), committed: Promise.resolve() };
    const writing = writeBatch(this.deps, this.symbol, batch, copied, committed);
    this.flights.push({ batch, writing, startedMs: performance.now() });
    await copied.catch(() => undefined);
  }

  /** Resolves when the database has answered to all that is on its way; `settle` then waits only for what has failed. */
  async whenAnswered(): Promise<void> {
    await Promise.allSettled(this.flights.map(({ writing }) => writing.committed));
  }

  /** Resolves when nothing is on its way. */
  settle(): Promise<void> {
    return this.settleTo(0);
  }

  private async settleTo(leave: number): Promise<void> {
    while (this.flights.length > leave) {
      const [flight] = this.flights as [Flight];
      try {
        this.land(flight, await flight.writing.committed);
        this.flights.shift();
      } catch (error) {
        this.deps.onState(this.symbol, false);
        this.deps.logger.warn({ symbol: this.symbol, err: error }, 'rows could not be written; trying again');
        await this.writeAgain();
      }
    }
  }

  private async writeAgain(): Promise<void> {
    const failed = this.flights.splice(0);
    await Promise.allSettled(failed.map(({ writing }) => writing.committed));
    for (const { batch } of failed) {
      const startedMs = performance.now();
      const landed = await untilDone(this.deps, this.symbol, this.signal, async () => {
        const place = await readPlace(this.deps, this.symbol);
        const writing = writeBatch(this.deps, this.symbol, batch, Promise.resolve(place), Promise.resolve());
        return { flight: { batch, writing, startedMs }, committed: await writing.committed };
      });
      if (landed === undefined) return;
      this.land(landed.flight, landed.committed);
    }
  }

  private land({ startedMs }: Flight, committed: Committed): void {
    this.place = committed;
    this.deps.onState(this.symbol, true);
    this.deps.metrics.observe(this.symbol, committed, (performance.now() - startedMs) / 1_000);
    this.hints.publish(committed.position);
  }
}

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
