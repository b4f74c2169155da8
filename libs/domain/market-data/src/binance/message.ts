import type { LiquidationEvent } from '../event';
import type { NotTaken } from '../rejections';

/**
 * Which of the venue's two futures markets. They differ in layout: COIN-M messages name the pair, and quantities are contracts; USD-M
 * quantities are base units.
 */
export type BinanceMarket = 'coinm' | 'usdm';

/**
 * Changed levels of one side: prices and quantities (contracts on COIN-M, base units on USD-M) as numbers of at most 15 digits; quantity 0
 * removes.
 */
export interface Levels {
  readonly prices: readonly number[];
  readonly quantities: readonly number[];
}

/** Changes of the book from update id `firstId` to `lastId`; `previousLastId` is the `lastId` of the diff before. */
export interface DepthDiff {
  readonly type: 'depth';
  /** Matching engine time. */
  readonly timeMs: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly previousLastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** The whole book (to 1,000 levels a side) as of update id `lastId`. */
export interface DepthSnapshot {
  readonly type: 'snapshot';
  readonly timeMs: number;
  readonly lastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A trade; price and quantity as sent, checked to be positive decimals. */
export interface TradeMessage {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: number;
  readonly price: string;
  readonly quantity: string;
  readonly buyerIsMaker: boolean;
}

/** A number among the trades that came without one: a fill that no order in the book met, or no fill at all. */
interface NoTrade {
  readonly type: 'no_trade';
  readonly id: number;
}

/** Mark price, index price and funding rate of one payment, each as sent; what was not sent is absent. */
export interface MarkPriceMessage {
  readonly type: 'mark_price';
  /** When the venue made it; rises from message to message. */
  readonly timeMs: number;
  readonly markPrice: string;
  readonly indexPrice?: string;
  readonly fundingRate?: string;
  /** When the next payment is due; absent where the venue names none. */
  readonly nextFundingMs?: number;
}

/** Facts that come beside the mark price and wait for the next one to enter the log. */
export interface ContextPart {
  readonly type: 'context_part';
  /** As sent: contracts on COIN-M, base units on USD-M. */
  readonly openInterest?: string;
  /** The newest trade that the ticker counts. */
  readonly lastTradeId?: number;
  /** Of 24 hours: contracts on COIN-M, quote currency on USD-M. */
  readonly volume?: string;
}

/** Whole hours between two funding payments of the instrument, where the venue lists it. */
interface FundingInterval {
  readonly type: 'funding_interval';
  readonly hours: number;
}

/** The newest funding payment of the instrument, where the venue does not list the interval. */
interface FundingPaid {
  readonly type: 'funding_payment';
  readonly timeMs: number;
}

/** The order by which the venue closed a position, and what was filled of it: at the average price, in the market's quantities. */
export interface LiquidationMessage {
  readonly type: 'liquidation';
  readonly timeMs: number;
  /** The other side than the order's: who sells was long. */
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly quantity: string;
}

/** A message that the log has a use for. */
export type TakenMessage =
  | DepthDiff
  | DepthSnapshot
  | TradeMessage
  | NoTrade
  | MarkPriceMessage
  | ContextPart
  | FundingInterval
  | FundingPaid
  | LiquidationMessage;

export type BinanceMessage = TakenMessage | NotTaken;
