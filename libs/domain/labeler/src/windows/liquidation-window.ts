import type { LiquidationEvent } from '@market-state/market-data';
import { newerThan, Ring } from './ring';

/** One liquidation of the window. */
export interface LiquidationRecord {
  readonly tsMs: number;
  /** A long position was closed by force: a sale. */
  readonly long: boolean;
  /** Size × mid of the book in force (mark price without a book, else its own price), quote currency. */
  readonly notional: number;
  readonly proxy: boolean;
}

/** The liquidations of the last 300 s. */
export class LiquidationWindow {
  constructor(
    readonly records: Ring<LiquidationRecord> = new Ring(),
    public lastTsMs: number | null = null,
  ) {}

  apply(event: LiquidationEvent, referencePrice: number | null): void {
    this.records.push({
      tsMs: event.exchangeTsMs,
      long: event.positionSide === 'long',
      notional: Number(event.size) * (referencePrice ?? Number(event.price)),
      proxy: event.provenance === 'proxy',
    });
    this.lastTsMs = event.exchangeTsMs;
  }

  forget(startMs: number): void {
    for (let oldest = this.records.at(0); oldest !== undefined && oldest.tsMs <= startMs; oldest = this.records.at(0)) this.records.shift();
  }

  /** Liquidations after `startMs`, oldest first. */
  after(startMs: number): readonly LiquidationRecord[] {
    return newerThan(this.records, startMs);
  }
}
