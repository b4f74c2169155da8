import { round6 } from '../numbers/round';
import type { BookRecord } from '../windows/book-window';
import type { TradeRecord } from '../windows/trade-window';
import type { PolicyNumbers } from '../policy/numbers';
import type { EntryWindows } from '../windows/entry-windows';

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

/** The window of the state, (T − 180 s, T], and what bounds a book's weight in it. */
export interface StateSpan {
  readonly startMs: number;
  readonly windowEndMs: number;
  /** Newest book cut before T: only books after it weigh. */
  readonly cutMs: number;
  /** Staleness limit of the book: longer than this after its stamp no book is in force. */
  readonly limitMs: number;
}

/** What the books of the window say, each weighted by how long it was in force. */
export interface HeldBooks {
  /** m180, −1 (only asks) to 1 (only bids), 6 decimals. */
  readonly imbalanceMean: number;
  /** Milliseconds of the window in which a book was in force. */
  readonly heldMs: number;
  /** Mean of B_5 + A_5, base units, not rounded; 0 where nothing is held. */
  readonly depthMean: number;
}

const NOTHING_HELD: HeldBooks = { imbalanceMean: 0, heldMs: 0, depthMean: 0 };

/**
 * m180 and depth_mean over the books in force in the window: from its stamp to the next book's, but no longer than the staleness limit.
 * m180 = Σ imb_5 × held / max(Σ held, `minimumMs`): what is missing of the first minute counts as balanced. `books`: oldest first, with the
 * one in force at the window's start. Window 180 s. Source: ours, the time-weighted mean of an order-book imbalance (see `imbalance`).
 */
export function heldBooks(books: readonly BookRecord[], span: StateSpan, minimumMs: number): HeldBooks {
  let weighted = 0;
  let depth = 0;
  let heldMs = 0;
  for (let index = 0; index < books.length; index++) {
    const book = books[index] as BookRecord;
    if (book.tsMs <= span.cutMs) continue;
    const nextMs = books[index + 1]?.tsMs ?? span.windowEndMs;
    const ms = Math.min(nextMs, book.tsMs + span.limitMs) - Math.max(book.tsMs, span.startMs);
    if (ms <= 0) continue;
    weighted += book.imbalance * ms;
    depth += book.depth * ms;
    heldMs += ms;
  }
  return {
    imbalanceMean: round6(weighted / Math.max(heldMs, minimumMs)),
    heldMs,
    depthMean: heldMs === 0 ? 0 : depth / heldMs,
  };
}

/**
 * movement_bps: 10,000 × (highest mid / lowest mid − 1) over the books stamped in the window and the one in force at its start, all after
 * the newest book cut. Basis points, at least 0, 6 decimals; 0 without such a book. Window 180 s. Source: the usual price range.
 */
export function movementBps(books: readonly BookRecord[], span: StateSpan): number {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  for (let index = 0; index < books.length; index++) {
    const book = books[index] as BookRecord;
    if (book.tsMs <= span.cutMs) continue;
    if (book.tsMs <= span.startMs && !inForceAtStart(book, books[index + 1], span)) continue;
    const mid = (book.bid + book.ask) / 2;
    lowest = Math.min(lowest, mid);
    highest = Math.max(highest, mid);
  }
  return highest === 0 ? 0 : round6(10_000 * (highest / lowest - 1));
}

function inForceAtStart(book: BookRecord, next: BookRecord | undefined, { startMs, limitMs }: StateSpan): boolean {
  return startMs <= book.tsMs + limitMs && (next === undefined || next.tsMs > startMs);
}

/** How many of the books are stamped in the window, after the newest book cut. */
export function booksStamped(books: readonly BookRecord[], { startMs, cutMs }: StateSpan): number {
  const fromMs = Math.max(startMs, cutMs);
  return books.length - books.findLastIndex((book) => book.tsMs <= fromMs) - 1;
}

/** Size bought and sold by aggressors, base units, each summed oldest first. */
interface SideSizes {
  readonly buys: number;
  readonly sells: number;
}

export function sizesBySide(trades: readonly TradeRecord[]): SideSizes {
  let buys = 0;
  let sells = 0;
  for (const trade of trades) {
    if (trade.buy) buys += trade.size;
    else sells += trade.size;
  }
  return { buys, sells };
}

/**
 * Signed flow: (buys − sells) / max(buys + sells, `fullSize`), −1 (only sells) to 1 (only buys); `fullSize` is the size that counts in
 * full, some multiple of depth_mean. No unit, 6 decimals; 0 without trades. Null where `fullSize` is 0: nothing to measure against. Source:
 * ours, a trade imbalance that small size leaves small.
 */
export function signedFlow({ buys, sells }: SideSizes, fullSize: number): number | null {
  return fullSize === 0 ? null : round6((buys - sells) / Math.max(buys + sells, fullSize));
}
