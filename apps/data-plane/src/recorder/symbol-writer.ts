import type { Batch } from '../store/copy-log-entries';
import { readPosition, RECORDER } from '../store/positions';
import { readRowState } from '../store/row-state';
import { type Committed, type CommitDeps, type Place, writeBatch, type Writing } from './commit-batch';
import { type Hints, type RecordDeps, untilDone } from './hints';

/** Where a symbol's rows end, as it is stored. */
export async function readPlace({ pool }: CommitDeps, symbol: string): Promise<Place> {
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
export class SymbolWriter {
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
