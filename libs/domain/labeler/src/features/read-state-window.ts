import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { EntryWindows } from '../windows/entry-windows';
import type { TradeRecord } from '../windows/trade-window';
import {
  booksStamped,
  heldBooks,
  movementBps,
  NOTHING_HELD,
  signedFlow,
  sizesBySide,
  type HeldBooks,
  type StateSpan,
} from './state-window';

/** What the trades of the window say; ratios to depth are null where no book was held. */
export interface StateTrades {
  /** Signed trade imbalance; null when nothing traded. */
  readonly imbalance: number | null;
  /** flow_180s. */
  readonly flow: number | null;
  /** flow_10s: the last ten seconds against the same mean depth. */
  readonly flow10s: number | null;
  /** Size traded over the size that counts in full. */
  readonly depthRatio: number | null;
}

/** Book and trades of the 180 s that end at T: what pressure, flow, severity and confidence read. */
export interface StateWindowRead {
  readonly held: HeldBooks;
  /** Null when the trades family is missing. */
  readonly trades: StateTrades | null;
  /** Null when the book family is missing. */
  readonly movementBps: number | null;
  /** 0..1: how full of books and trades the window is, 6 decimals. */
  readonly evidence: number;
}

/** Reads the window of the state at T; `present` says which families are not missing. A book weighs no longer than `bookStalenessMs`. */
export function readStateWindow(
  windows: EntryWindows,
  windowEndMs: number,
  bookStalenessMs: number,
  present: { readonly book: boolean; readonly trades: boolean },
  numbers: PolicyNumbers,
): StateWindowRead {
  const { state_ms: stateMs, packet_interval_ms: recentMs } = numbers.windows;
  const tradesOf = (lengthMs: number) => windows.trades.after(windows.cuts.windowStart('trade', windowEndMs, lengthMs));
  const span: StateSpan = {
    startMs: windowEndMs - stateMs,
    windowEndMs,
    cutMs: windows.cuts.newestBefore('book', windowEndMs),
    limitMs: bookStalenessMs,
  };
  const books = present.book ? windows.books.records.toArray() : [];
  const held = present.book ? heldBooks(books, span, numbers.minimums.held_ms) : NOTHING_HELD;
  const trades = present.trades ? tradesOf(stateMs) : [];
  return {
    held,
    trades: present.trades ? readTrades(trades, tradesOf(recentMs), held.depthMean, numbers) : null,
    movementBps: present.book ? movementBps(books, span) : null,
    evidence: evidenceShare(booksStamped(books, span), trades.length, numbers),
  };
}

function readTrades(
  trades: readonly TradeRecord[],
  recent: readonly TradeRecord[],
  depthMean: number,
  { windows, composites }: PolicyNumbers,
): StateTrades {
  const sizes = sizesBySide(trades);
  const traded = sizes.buys + sizes.sells;
  const fullSize = (windows.state_ms / composites.flow_depth_ms) * depthMean;
  const recentFullSize = depthMean / (composites.flow_depth_ms / windows.packet_interval_ms);
  return {
    imbalance: traded === 0 ? null : round6((sizes.buys - sizes.sells) / traded),
    flow: signedFlow(sizes, fullSize),
    flow10s: signedFlow(sizesBySide(recent), recentFullSize),
    depthRatio: fullSize === 0 ? null : round6(traded / fullSize),
  };
}

/**
 * evidence, 0..1: 0.5 × min(1, books / 60) + 0.5 × min(1, trades / 60), how many are stamped in the window. No unit, 6 decimals; window
 * 180 s. Source: ours.
 */
function evidenceShare(books: number, trades: number, { confidence }: PolicyNumbers): number {
  const ofBooks = round6(Math.min(1, books / confidence.evidence_full_books));
  const ofTrades = round6(Math.min(1, trades / confidence.evidence_full_trades));
  return round6(confidence.evidence_book_weight * ofBooks + confidence.evidence_trade_weight * ofTrades);
}
