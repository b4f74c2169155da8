import type { Levels } from '../book-side';
import type { LiquidationEvent } from '../event';
import type { NotAccepted } from '../rejections';

/** COIN-M messages name the pair and count contracts; USD-M counts base units. */
export type BinanceMarket = 'coinm' | 'usdm';

/** Book changes from update id `firstId` to `lastId`; `previousLastId` is the previous diff's `lastId`. */
export interface DepthDiff {
  readonly type: 'depth';
  readonly timeMs: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly previousLastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** Up to 1,000 levels per side, at update id `lastId`. */
export interface DepthSnapshot {
  readonly type: 'snapshot';
  readonly timeMs: number;
  readonly lastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

export interface TradeMessage {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: number;
  readonly price: string;
  readonly quantity: string;
  readonly buyerIsMaker: boolean;
}

/** Trade id without a book trade: an off-book fill, or none. */
interface NoTrade {
  readonly type: 'no_trade';
  readonly id: number;
}

/** Values as sent; the funding rate is per payment. */
export interface MarkPriceMessage {
  readonly type: 'mark_price';
  readonly timeMs: number;
  readonly markPrice: string;
  readonly indexPrice?: string;
  readonly fundingRate?: string;
  readonly nextFundingMs?: number;
}

export interface ContextPart {
  readonly type: 'context_part';
  /** Contracts on COIN-M, base units on USD-M. */
  readonly openInterest?: string;
  readonly lastTradeId?: number;
  /** 24-hour volume: contracts on COIN-M, quote currency on USD-M. */
  readonly volume?: string;
}

interface FundingInterval {
  readonly type: 'funding_interval';
  readonly hours: number;
}

interface FundingPaid {
  readonly type: 'funding_payment';
  readonly timeMs: number;
}

export interface LiquidationMessage {
  readonly type: 'liquidation';
  readonly timeMs: number;
  /** Opposite of the order's side: a sell liquidates a long. */
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly quantity: string;
}

export type AcceptedMessage =
  | DepthDiff
  | DepthSnapshot
  | TradeMessage
  | NoTrade
  | MarkPriceMessage
  | ContextPart
  | FundingInterval
  | FundingPaid
  | LiquidationMessage;

export type BinanceMessage = AcceptedMessage | NotAccepted;
