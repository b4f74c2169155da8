import type { Data, Schemas } from '@market-state/client';

/** A price level as venues send it: decimals are strings. */
type Level = readonly [price: string, size: string];

/** Levels that a ladder shows of each side. */
export const LADDER_ROWS = 10;

/** A row of the ladder. */
export interface LadderRow {
  readonly price: string;
  readonly size: string;
  /** Size of this level and all better ones of its side, base units. */
  readonly cumulative: number;
}

/** The best levels of one side with their cumulative depth. */
export function ladderSide(levels: readonly Level[], rows: number): readonly LadderRow[] {
  let cumulative = 0;
  return levels.slice(0, rows).map(([price, size]) => {
    cumulative += Number(size);
    return { price, size, cumulative };
  });
}

/** Difference of the best prices in basis points of their middle; null where a side is empty. */
export function spreadBps([bid]: readonly Level[], [ask]: readonly Level[]): number | null {
  if (bid === undefined || ask === undefined) return null;
  const [low, high] = [Number(bid[0]), Number(ask[0])];
  return (20_000 * (high - low)) / (high + low);
}

/** A size with four significant digits, as wide as its neighbours: `0.2103`, `21.02`, `1,309`. */
export function sizeWords(size: number): string {
  if (size >= 1_000) return Math.round(size).toLocaleString('en-US');
  return size >= 100 ? size.toFixed(1) : size >= 10 ? size.toFixed(2) : size >= 1 ? size.toFixed(3) : size.toFixed(4);
}

/** Trades that the tape keeps, however old they are; of a busier minute it keeps all. */
const TAPE_MIN = 80;
/** Span over which the tape adds up sides, milliseconds. */
export const TAPE_SPAN_MS = 60_000;

export interface TapeTrade {
  readonly id: string;
  readonly timeMs: number;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
}

/** What stands of book and trades at an instant. */
export interface FlowState {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Exchange time of the book, milliseconds since the epoch; null before one. */
  readonly bookMs: number | null;
  /** Newest first. */
  readonly trades: readonly TapeTrade[];
  /** Holes of the stream: gaps of the ledger, and messages that this reader was too slow for. */
  readonly gapTotal: number;
  readonly skippedTotal: number;
}

export const NO_FLOW: FlowState = { bids: [], asks: [], bookMs: null, trades: [], gapTotal: 0, skippedTotal: 0 };

/** A book or trade row as it is recorded. */
interface RecordedRow {
  readonly kind?: string;
  readonly exchange_ts_ms?: number;
  readonly venue_id?: string;
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
  readonly aggressor_side?: string;
  readonly price?: string;
  readonly size?: string;
}

/** The state with what the service answered when it was asked for book and trades, where nothing newer has come. */
export function withAnswers(state: FlowState, book: Data<'getBookL2Latest'> | null, trades: Data<'listLatestTrades'> | null): FlowState {
  const levels = (side: readonly { readonly price: string; readonly size: string }[]): Level[] =>
    side.map(({ price, size }) => [price, size]);
  const withBook =
    book === null || state.bookMs !== null
      ? state
      : {
          ...state,
          bids: levels(book.bids),
          asks: levels(book.asks),
          bookMs: book.exchange_time_utc === null ? null : Date.parse(book.exchange_time_utc),
        };
  if (trades === null) return withBook;
  const known = new Set(withBook.trades.map(({ id }) => id));
  const earlier = trades.rows.flatMap(({ venue_id: id, price, size, aggressor_side: side, exchange_time_utc: time }): TapeTrade[] =>
    known.has(id) ? [] : [{ id, timeMs: Date.parse(time), side: side === 'buy' ? 'buy' : 'sell', price, size }],
  );
  return { ...withBook, trades: taped([...withBook.trades, ...earlier]) };
}

/**
 * The state after rows of the stream in their order; rows of other kinds change nothing. It costs as much as the tape is long, however few
 * the rows: what comes between two draws is added at once.
 */
export function withRows(state: FlowState, rows: readonly Schemas['DataRow'][]): FlowState {
  const known = new Set(state.trades.map(({ id }) => id));
  const trades: TapeTrade[] = [];
  let book: FlowBook | null = null;
  for (const row of rows) {
    book = bookOf(row) ?? book;
    const trade = tradeOf(row);
    if (trade === null || (trade.id !== '' && known.has(trade.id))) continue;
    known.add(trade.id);
    trades.push(trade);
  }
  return {
    ...state,
    ...(book === null ? {} : { bids: book.bids, asks: book.asks, bookMs: book.timeMs }),
    ...(trades.length === 0 ? {} : { trades: taped([...trades.reverse(), ...state.trades]) }),
  };
}

/** A book at an instant, best levels first. */
export interface FlowBook {
  /** Exchange time, milliseconds since the epoch. */
  readonly timeMs: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

function recordedOf(row: Schemas['DataRow']): RecordedRow {
  return ('row' in row ? row.row : {}) as RecordedRow;
}

/** The book of a recorded row; null where it is of another kind. */
export function bookOf(row: Schemas['DataRow']): FlowBook | null {
  const { kind, exchange_ts_ms: timeMs = 0, bids, asks } = recordedOf(row);
  return kind === 'book' && bids !== undefined && asks !== undefined ? { timeMs, bids, asks } : null;
}

/** The trade of a recorded row; null where it is of another kind. */
export function tradeOf(row: Schemas['DataRow']): TapeTrade | null {
  const { kind, exchange_ts_ms: timeMs = 0, venue_id: id = '', aggressor_side: side, price, size } = recordedOf(row);
  if (kind !== 'trade' || price === undefined || size === undefined) return null;
  return { id, timeMs, side: side === 'buy' ? 'buy' : 'sell', price, size };
}

/** What the tape keeps of trades, newest first. */
function taped(trades: readonly TapeTrade[]): readonly TapeTrade[] {
  const sinceMs = (trades[0]?.timeMs ?? 0) - TAPE_SPAN_MS;
  let kept = Math.min(TAPE_MIN, trades.length);
  while (kept < trades.length && (trades[kept]?.timeMs ?? 0) > sinceMs) kept += 1;
  return kept === trades.length ? trades : trades.slice(0, kept);
}

/** Sizes of the newest trades by aggressor, base units. */
interface TapeBalance {
  readonly buys: number;
  readonly sells: number;
  /** The span that they are of, milliseconds: less than a minute where no earlier trade is known. */
  readonly spanMs: number;
}

/** Adds up the newest minute of a tape, or what is known of it. */
export function tapeBalance(trades: readonly TapeTrade[]): TapeBalance {
  const newestMs = trades[0]?.timeMs ?? 0;
  const sum = (side: TapeTrade['side']): number =>
    trades
      .filter((trade) => trade.side === side && trade.timeMs > newestMs - TAPE_SPAN_MS)
      .reduce((total, { size }) => total + Number(size), 0);
  return { buys: sum('buy'), sells: sum('sell'), spanMs: Math.min(TAPE_SPAN_MS, newestMs - (trades.at(-1)?.timeMs ?? newestMs)) };
}
