import type { ContextFacts } from '../log-writer';
import type { BookLevel, LiquidationEvent, TradeEvent } from '../event';
import type { NotAccepted } from '../rejections';

/** Whole book, best first, at most 20 levels per side. Pushes have a time but no sequence number. */
export interface WholeBook {
  readonly type: 'book';
  readonly isAnswer?: true;
  readonly timeMs: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Null for an empty side. */
export interface BestPrices {
  readonly type: 'best';
  readonly timeMs: number;
  readonly bid: BookLevel | null;
  readonly ask: BookLevel | null;
}

export interface HyperliquidTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

/** Each trade is accepted or rejected separately. The first frame after subscribing is a backlog of older trades. */
export interface TradeFrame {
  readonly type: 'trades';
  readonly isAnswer: boolean;
  readonly trades: readonly (HyperliquidTrade | NotAccepted)[];
}

export interface AssetContext {
  readonly type: 'context';
  readonly facts: Pick<ContextFacts, 'fundingRate' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'midPrice' | 'dayVolume'>;
}

export interface FundingPayment {
  readonly type: 'funding_payment';
  readonly timeMs: number;
  readonly rate: string;
}

export interface FundingHistory {
  readonly type: 'funding';
  readonly payments: readonly (FundingPayment | NotAccepted)[];
}

export interface MinuteCandle {
  readonly type: 'candle';
  readonly startMs: number;
  readonly tradeCount: number;
}

/** Liquidation; only the simulated venue reports them. */
export interface SimulatedLiquidation extends Pick<LiquidationEvent, 'positionSide' | 'price' | 'size'> {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly id: string;
}

interface LiquidationFrame {
  readonly type: 'liquidations';
  readonly liquidations: readonly (SimulatedLiquidation | NotAccepted)[];
}

export type HyperliquidMessage =
  | WholeBook
  | BestPrices
  | TradeFrame
  | AssetContext
  | FundingHistory
  | MinuteCandle
  | LiquidationFrame
  | NotAccepted;
