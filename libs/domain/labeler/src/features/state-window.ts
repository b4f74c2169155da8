import { round6 } from '../numbers/round';
import type { BookRecord, TradeRecord, EntryWindows } from '../windows/entry-windows';
import type { PolicyNumbers } from '../policy/numbers';

export interface StateTrades {
  /** Signed; null without trades. */
  readonly imbalance: number | null;
  readonly flow: number | null;
  readonly flow10s: number | null;
  readonly depthRatio: number | null;
}

export interface StateWindowRead {
  readonly held: HeldBooks;
  readonly trades: StateTrades | null;
  readonly movementBps: number | null;
  readonly evidence: number;
}

/** `present` lists families that are not missing. A book's weight is limited to `bookStalenessMs`. */
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
 * evidence, 0 to 1, 6 decimals: 0.5 × min(1, books / 60) + 0.5 × min(1, trades / 60), counting those stamped in the 180
 * s window. Source: ours.
 */
function evidenceShare(books: number, trades: number, { confidence }: PolicyNumbers): number {
  const ofBooks = round6(Math.min(1, books / confidence.evidence_full_books));
  const ofTrades = round6(Math.min(1, trades / confidence.evidence_full_trades));
  return round6(confidence.evidence_book_weight * ofBooks + confidence.evidence_trade_weight * ofTrades);
}

export interface StateSpan {
  readonly startMs: number;
  readonly windowEndMs: number;
  readonly cutMs: number;
  readonly limitMs: number;
}

export interface HeldBooks {
  readonly imbalanceMean: number;
  readonly heldMs: number;
  readonly depthMean: number;
}

const NOTHING_HELD: HeldBooks = { imbalanceMean: 0, heldMs: 0, depthMean: 0 };

/**
 * m180 and depth_mean over the books in force in the 180 s window, each from its stamp to the next book's but at most
 * to the staleness limit. m180 = Σ imb_5 × held / max(Σ held, `minimumMs`), so missing time of the first minute counts
 * as balanced. `books`: oldest first, including the one in force at the window's start. Source: ours, the time-weighted
 * mean of an order-book imbalance (see `imbalance`).
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
 * movement_bps: 10,000 × (highest mid / lowest mid − 1) over the books stamped in the 180 s window and the one in force
 * at its start, all after the newest book cut. Basis points, 6 decimals; 0 without such a book. Source: the usual price
 * range.
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

export function booksStamped(books: readonly BookRecord[], { startMs, cutMs }: StateSpan): number {
  const fromMs = Math.max(startMs, cutMs);
  return books.length - books.findLastIndex((book) => book.tsMs <= fromMs) - 1;
}

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
 * Signed flow: (buys − sells) / max(buys + sells, `fullSize`), −1 (only sells) to 1 (only buys), 6 decimals; 0 without
 * trades. `fullSize`, the size that counts in full, is a multiple of depth_mean. Null if it is 0. Source: ours, a trade
 * imbalance that stays small for small size.
 */
export function signedFlow({ buys, sells }: SideSizes, fullSize: number): number | null {
  return fullSize === 0 ? null : round6((buys - sells) / Math.max(buys + sells, fullSize));
}
