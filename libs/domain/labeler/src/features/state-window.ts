import { round6 } from '../numbers/round';
import type { BookRecord } from '../windows/book-window';
import type { TradeRecord } from '../windows/trade-window';

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

export const NOTHING_HELD: HeldBooks = { imbalanceMean: 0, heldMs: 0, depthMean: 0 };

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
export interface SideSizes {
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
