import type { EntryId, EventLog } from '@market-state/event-log';
import { delay, backoffMs, runTogether } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { CopyBinary, isTransientDatabaseError } from '@market-state/postgres';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import { Histogram } from 'prom-client';
import { type Batch, toBatch } from '../store/copy-log-entries';
import { readPosition, RECORDER } from '../store/recorded';
import { readRowState } from '../store/row-state';
import {
  type Committed,
  type CommitDeps,
  type LogPosition,
  writeBatch,
  type Writing,
  type SymbolBatch,
  writeTogether,
} from './commit-batch';

const BATCH_MAX = 2_000;

/** One committing, one being copied, one being prepared. */
const BATCHES_MAX = 3;

/** Smaller batches are committed together with other symbols' batches; one of these keeps a connection busy alone. */
const ALONE_FROM = 1_000;

/**
 * Minimum interval in milliseconds of reads of the log, which bounds the latency of streams: they send rows once
 * recorded. Each read costs every symbol a few row updates, whatever number of entries it has.
 */
export function gatherMs(symbolTotal: number): number {
  return Math.min(400, Math.max(100, symbolTotal * 2));
}

interface RecordDeps extends CommitDeps {
  readonly log: EventLog;
  readonly commitTogether: CommitTogether;
  readonly logger: Logger;
  readonly metrics: RecorderMetrics;
  readonly onState: (symbol: string, isWriting: boolean) => void;
}

async function untilDone<T>(deps: RecordDeps, symbol: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const result = await work();
      deps.onState(symbol, true);
      return result;
    } catch (error) {
      deps.onState(symbol, false);
      deps.logger.warn({ symbol, attempt, err: error }, 'writing rows failed; retrying');
      await delay(backoffMs(attempt, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
    }
  }
  return undefined;
}

/** Publishes positions for trimming in the background; failures are superseded by the next one. */
interface Hints {
  publish(position: EntryId): void;
  settled(): Promise<void>;
}

function createHints({ log, logger }: RecordDeps, symbol: string): Hints {
  let publishing = Promise.resolve();
  return {
    publish(position) {
      publishing = publishing
        .then(() => log.setPosition(symbol, RECORDER, position))
        .catch((error: unknown) => logger.warn({ symbol, err: error }, 'publishing the position failed'));
    },
    settled: () => publishing,
  };
}

/** Retries store outages until the signal aborts; stops with an error at an undecodable entry. */
export async function recordSymbols(
  deps: Omit<RecordDeps, 'commitTogether'>,
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const commitTogether = createCommitTogether(deps);
  await Promise.all(symbols.map((symbol) => recordSymbol({ ...deps, commitTogether }, symbol, signal)));
}

async function recordSymbol(deps: RecordDeps, symbol: string, signal: AbortSignal): Promise<void> {
  const place = await untilDone(deps, symbol, signal, () => readLogPosition(deps, symbol));
  if (place === undefined) return;
  const hints = createHints(deps, symbol);
  hints.publish(place.position);
  const source = openBatches(deps.log, symbol, place.position, signal);
  const writer = new SymbolWriter(deps, symbol, place, hints, signal);
  try {
    await writeBatches(source, writer);
  } catch (error) {
    await writer.settle();
    deps.onState(symbol, false);
    deps.logger.fatal({ symbol, err: error }, 'an entry of the event log cannot be decoded; recording of the symbol stopped');
  } finally {
    await source.close();
    await hints.settled();
  }
}

async function writeBatches(source: BatchSource, writer: SymbolWriter): Promise<void> {
  for (let next = source.next(); ; ) {
    const batch = await next;
    if (batch === undefined) return writer.settle();
    if (batch.entries.length >= ALONE_FROM) {
      await writer.begin(batch);
      next = source.next();
      // The next batch may take long, so finish pending ones in the meantime.
      const first = await Promise.race([
        next.then(
          () => 'next',
          () => 'next',
        ),
        writer.whenAnswered().then(() => 'answered'),
      ]);
      if (first === 'answered') await writer.settle();
    } else {
      await writer.writeTogether(batch);
      next = source.next();
    }
  }
}

async function readLogPosition({ pool }: CommitDeps, symbol: string): Promise<LogPosition> {
  const position = await readPosition(pool, RECORDER, symbol);
  return { position, state: await readRowState(pool, symbol, position.ordinal) };
}

interface Flight {
  readonly batch: Batch;
  readonly writing: Writing;
  readonly startedMs: number;
}

/** At most two batches in flight: one copies while the previous one commits. Failed batches are retried alone. */
class SymbolWriter {
  private flights: Flight[] = [];

  constructor(
    private readonly deps: RecordDeps,
    private readonly symbol: string,
    private place: LogPosition,
    private readonly hints: Hints,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves once the batch has started: its predecessor's rows are copied and everything earlier is committed. */
  async begin(batch: Batch): Promise<void> {
    await this.settleTo(1);
    const [last] = this.flights;
    const { copied, committed } = last?.writing ?? { copied: Promise.resolve(this.place), committed: Promise.resolve() };
    const writing = writeBatch(this.deps, this.symbol, batch, copied, committed);
    this.flights.push({ batch, writing, startedMs: performance.now() });
    await copied.catch(() => undefined);
  }

  /** Resolves once it is committed. */
  async writeTogether(batch: Batch): Promise<void> {
    await this.settle();
    const committed = this.deps.commitTogether({ symbol: this.symbol, batch, place: this.place });
    committed.catch(() => undefined);
    this.flights.push({ batch, writing: { copied: committed, committed }, startedMs: performance.now() });
    await this.settle();
  }

  /** Also resolves if batches failed; `settle` then retries them. */
  async whenAnswered(): Promise<void> {
    await Promise.allSettled(this.flights.map(({ writing }) => writing.committed));
  }

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
        this.deps.logger.warn({ symbol: this.symbol, err: error }, 'writing rows failed; retrying');
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
        const place = await readLogPosition(this.deps, this.symbol);
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

/** A batch's buffer is reused three batches later. */
interface BatchSource {
  /**
   * Undefined after an abort.
   * @throws {EventDecodeError} if a payload is not an event
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

/** Commits a symbol's batch with those of other symbols. Rejects if it is not written. */
type CommitTogether = (batch: SymbolBatch) => Promise<Committed>;

/**
 * Many quiet symbols share a transaction. A batch that cannot be written does not hold up the others: each is then
 * written alone.
 */
export function createCommitTogether(deps: CommitDeps): CommitTogether {
  return runTogether(async (batches) => {
    try {
      return await writeTogether(deps, batches);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      const alone: Promise<Committed>[] = [];
      for (const { symbol, batch, place } of batches) {
        const { committed } = writeBatch(deps, symbol, batch, Promise.resolve(place), Promise.resolve());
        alone.push(committed);
        await committed.catch(() => undefined);
      }
      return alone;
    }
  });
}

interface RecorderMetrics {
  observe(symbol: string, committed: Committed, durationS: number): void;
}

/** Read from the log on each scrape. */
export function createRecorderMetrics(metrics: Metrics, log: Pick<EventLog, 'lastId'>): RecorderMetrics {
  const registers = [metrics.registry];
  const positions = new Map<string, number>();
  const rows = addCounter(metrics, 'recorder_rows_total', 'Rows written.', ['symbol']);
  const batchRows = new Histogram({
    name: 'recorder_batch_rows',
    help: 'Rows of one transaction.',
    buckets: [1, 5, 20, 100, 500, 1_000, 2_000],
    registers,
  });
  const commitSeconds = new Histogram({
    name: 'recorder_commit_seconds',
    help: 'Time of one transaction.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  addGauge(metrics, 'recorder_lag_entries', 'Entries of the log that are not yet written.', ['symbol'], async (lag) => {
    for (const [symbol, ordinal] of positions) {
      const last = await log.lastId(symbol).catch(() => undefined);
      if (last !== undefined) lag.set({ symbol }, Math.max(0, last.ordinal - ordinal));
    }
  });
  return {
    observe(symbol, committed, durationS) {
      positions.set(symbol, committed.position.ordinal);
      rows.inc({ symbol }, committed.rows);
      batchRows.observe(committed.rows);
      commitSeconds.observe(durationS);
    },
  };
}
