import type { Data, Schemas } from '@market-state/client';

/** Decimals are strings, as venues send them. */
type Level = readonly [price: string, size: string];

export const LADDER_ROWS = 10;

interface LadderRow {
  readonly price: string;
  readonly size: string;
  /** Size of this level and all better ones on its side, in base units. */
  readonly cumulative: number;
}

export function ladderSide(levels: readonly Level[], rows: number): readonly LadderRow[] {
  let cumulative = 0;
  return levels.slice(0, rows).map(([price, size]) => {
    cumulative += Number(size);
    return { price, size, cumulative };
  });
}

/** Null if a side is empty. */
export function spreadBps([bid]: readonly Level[], [ask]: readonly Level[]): number | null {
  if (bid === undefined || ask === undefined) return null;
  const [low, high] = [Number(bid[0]), Number(ask[0])];
  return (20_000 * (high - low)) / (high + low);
}

/** Trades kept however old; a busier minute keeps all of its trades. */
const TAPE_MIN = 80;
export const TAPE_SPAN_MS = 60_000;

export interface TapeTrade {
  readonly id: string;
  readonly timeMs: number;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
}

export interface FlowState {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Exchange time. */
  readonly bookMs: number | null;
  readonly trades: readonly TapeTrade[];
  /** Gaps from the ledger, and messages that this reader was too slow for. */
  readonly gapTotal: number;
  readonly skippedTotal: number;
}

export const NO_FLOW: FlowState = { bids: [], asks: [], bookMs: null, trades: [], gapTotal: 0, skippedTotal: 0 };

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

/** Applies the snapshots from the REST routes unless the stream has delivered newer rows. */
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

/** Cost depends on the length of the tape, not on the number of rows, so callers batch the rows between two draws. */
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

export interface FlowBook {
  readonly timeMs: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

function recordedOf(row: Schemas['DataRow']): RecordedRow {
  return ('row' in row ? row.row : {}) as RecordedRow;
}

export function bookOf(row: Schemas['DataRow']): FlowBook | null {
  const { kind, exchange_ts_ms: timeMs = 0, bids, asks } = recordedOf(row);
  return kind === 'book' && bids !== undefined && asks !== undefined ? { timeMs, bids, asks } : null;
}

export function tradeOf(row: Schemas['DataRow']): TapeTrade | null {
  const { kind, exchange_ts_ms: timeMs = 0, venue_id: id = '', aggressor_side: side, price, size } = recordedOf(row);
  if (kind !== 'trade' || price === undefined || size === undefined) return null;
  return { id, timeMs, side: side === 'buy' ? 'buy' : 'sell', price, size };
}

function taped(trades: readonly TapeTrade[]): readonly TapeTrade[] {
  const sinceMs = (trades[0]?.timeMs ?? 0) - TAPE_SPAN_MS;
  let kept = Math.min(TAPE_MIN, trades.length);
  while (kept < trades.length && (trades[kept]?.timeMs ?? 0) > sinceMs) kept += 1;
  return kept === trades.length ? trades : trades.slice(0, kept);
}

interface TapeBalance {
  readonly buys: number;
  readonly sells: number;
  /** Less than a minute if no earlier trade is known. */
  readonly spanMs: number;
}

export function tapeBalance(trades: readonly TapeTrade[]): TapeBalance {
  const newestMs = trades[0]?.timeMs ?? 0;
  const sum = (side: TapeTrade['side']): number =>
    trades
      .filter((trade) => trade.side === side && trade.timeMs > newestMs - TAPE_SPAN_MS)
      .reduce((total, { size }) => total + Number(size), 0);
  return { buys: sum('buy'), sells: sum('sell'), spanMs: Math.min(TAPE_SPAN_MS, newestMs - (trades.at(-1)?.timeMs ?? newestMs)) };
}
