import type { BookEvent, ContextEvent, LiquidationEvent, TradeEvent } from '@market-state/market-data';
import { SortedWindow } from '../numbers/sorted-window';
import type { PolicyNumbers } from '../policy/numbers';
import { BookWindow, midOf } from './book-window';
import { ContextWindow } from './context-window';
import { Cuts } from './cuts';
import { LiquidationWindow } from './liquidation-window';
import { Ring } from './ring';
import { TradeWindow } from './trade-window';

/** Events that windows hold: everything but ticks and feed status. */
export type DataEvent = BookEvent | TradeEvent | ContextEvent | LiquidationEvent;

/** The windows over log entries, and the cuts that none of them spans. */
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

/** Applies one event; events come in the order of `compareEvents`, none later than the window that is closing. */
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

/** Moves every window to end at T and drops what no later packet can read. */
export function advanceWindows(windows: EntryWindows, windowEndMs: number, { windows: lengths }: PolicyNumbers): void {
  windows.books.forget(windowEndMs - lengths.state_ms, windowEndMs - lengths.quality_ms);
  const oldestBookMs = windows.books.since(windowEndMs - lengths.book_ms)[0]?.tsMs ?? Infinity;
  windows.trades.advance(windowEndMs, lengths.trade_ms, Math.min(windowEndMs - lengths.notional_ms, oldestBookMs));
  windows.context.forget(windowEndMs - lengths.open_interest_ms);
  windows.liquidations.forget(windowEndMs - lengths.liquidation_ms);
  windows.cuts.forget(windowEndMs - lengths.duplicate_ms);
}

/** What a notional is counted at: mid of the book in force, the mark price without a book; null with neither. */
function referencePrice(windows: EntryWindows): number | null {
  return midOf(windows.books.current) ?? windows.context.markPrice;
}
