import type { BookEvent, ContextEvent, LiquidationEvent, TradeEvent } from '@market-state/market-data';
import { SortedWindow } from '../numbers/sorted-window';
import type { PolicyNumbers } from '../policy/numbers';
import { BookWindow, midOf } from './book-window';
import { Cuts } from './cuts';
import { Ring, newerThan } from './ring';
import { TradeWindow } from './trade-window';
import { round12 } from '../numbers/round';

export interface LiquidationRecord {
  readonly tsMs: number;
  /** A long position was force-closed: a sale. */
  readonly long: boolean;
  /** Size × mid of the book in force (mark price without a book, else its own price), quote currency. */
  readonly notional: number;
  readonly proxy: boolean;
}

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

  after(startMs: number): readonly LiquidationRecord[] {
    return newerThan(this.records, startMs);
  }
}

export interface OpenInterestRecord {
  readonly tsMs: number;
  readonly value: number;
}

/** Last value of each field, and an hour of open interest with the value in force at its start. */
export class ContextWindow {
  constructor(
    readonly openInterest: Ring<OpenInterestRecord> = new Ring(),
    public lastTsMs: number | null = null,
    /** Signed, per hour; also null if the newest rate's interval is unknown. */
    public fundingRate: number | null = null,
    public markPrice: number | null = null,
  ) {}

  apply(event: ContextEvent): void {
    this.lastTsMs = event.exchangeTsMs;
    if (event.fundingRate !== undefined) this.fundingRate = round12(Number(event.fundingRate));
    else if (event.venueFundingRate !== undefined) this.fundingRate = null;
    if (event.markPrice !== undefined) this.markPrice = Number(event.markPrice);
    if (event.openInterest !== undefined) {
      this.openInterest.push({ tsMs: event.exchangeTsMs, value: Number(event.openInterest) });
    }
  }

  forget(startMs: number): void {
    for (let second = this.openInterest.at(1); second !== undefined && second.tsMs <= startMs; second = this.openInterest.at(1)) {
      this.openInterest.shift();
    }
  }
}

export type DataEvent = BookEvent | TradeEvent | ContextEvent | LiquidationEvent;

export interface EntryWindows {
  readonly books: BookWindow;
  readonly trades: TradeWindow;
  readonly context: ContextWindow;
  readonly liquidations: LiquidationWindow;
  readonly cuts: Cuts;
}

export function createEntryWindows(numbers: PolicyNumbers): EntryWindows {
  return {
    books: new BookWindow(),
    trades: new TradeWindow(new Ring(), new SortedWindow(numbers.windows.trade_size_total)),
    context: new ContextWindow(),
    liquidations: new LiquidationWindow(),
    cuts: new Cuts(),
  };
}

/** Events must be in the order of `compareEvents`, none later than the closing window. */
export function applyEvent(windows: EntryWindows, event: DataEvent): void {
  switch (event.kind) {
    case 'book':
      return windows.books.apply(event);
    case 'trade':
      return windows.trades.apply(event, referencePrice(windows));
    case 'context':
      return windows.context.apply(event);
    case 'liquidation':
      return windows.liquidations.apply(event, referencePrice(windows));
  }
}

export function advanceWindows(windows: EntryWindows, windowEndMs: number, { windows: lengths }: PolicyNumbers): void {
  windows.books.forget(windowEndMs - lengths.state_ms, windowEndMs - lengths.quality_ms);
  const oldestBookMs = windows.books.since(windowEndMs - lengths.book_ms)[0]?.tsMs ?? Infinity;
  windows.trades.advance(windowEndMs, lengths.trade_ms, Math.min(windowEndMs - lengths.notional_ms, oldestBookMs));
  windows.context.forget(windowEndMs - lengths.open_interest_ms);
  windows.liquidations.forget(windowEndMs - lengths.liquidation_ms);
  windows.cuts.forget(windowEndMs - lengths.duplicate_ms);
}

/** Mid of the book in force, or the mark price without a book; null with neither. */
function referencePrice(windows: EntryWindows): number | null {
  return midOf(windows.books.current) ?? windows.context.markPrice;
}
