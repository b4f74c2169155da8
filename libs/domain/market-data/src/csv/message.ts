import type { ContextEvent, LiquidationEvent, TradeEvent } from '../event';

/** Levels of one side, best first: prices and sizes as numbers of at most 15 digits, sizes as the instrument counts them. */
export interface CsvLevels {
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
}

/** A whole book. */
export interface CsvBook {
  readonly type: 'book';
  readonly timeMs: number;
  readonly bids: CsvLevels;
  readonly asks: CsvLevels;
}

/** A trade; price and size plain decimals. */
export interface CsvTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  /** Absent where the file has no ids. */
  readonly id?: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

/** A position that was closed by force. */
export interface CsvLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly price: string;
  readonly size: string;
  readonly positionSide: LiquidationEvent['positionSide'];
}

/** What a row of context says; an empty cell is absent. */
export interface CsvContext {
  readonly type: 'context';
  readonly timeMs: number;
  readonly facts: Pick<
    ContextEvent,
    'fundingRate' | 'venueFundingRate' | 'fundingIntervalHours' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'midPrice' | 'dayVolume'
  >;
}

export type CsvMessage = CsvBook | CsvTrade | CsvLiquidation | CsvContext;
