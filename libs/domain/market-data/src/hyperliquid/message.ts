import type { ContextFacts } from '../log-writer';
import type { BookLevel, LiquidationEvent, TradeEvent } from '../event';
import type { NotTaken } from '../rejections';

/** A whole book as pushed: best first, at most 20 levels a side. There is no sequence number; the time tells pushes apart. */
export interface WholeBook {
  readonly type: 'book';
  /** It answers a question: nothing was pushed. */
  readonly isAnswer?: true;
  readonly timeMs: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** The best bid and the best ask; null for a side that is empty. */
export interface BestPrices {
  readonly type: 'best';
  readonly timeMs: number;
  readonly bid: BookLevel | null;
  readonly ask: BookLevel | null;
}

/** One trade; `id` is the venue's `tid`. */
export interface HyperliquidTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

/** The trades of a frame or an answer, each taken or not by itself. The first frame after subscribing is a backlog of older trades. */
export interface TradeFrame {
  readonly type: 'trades';
  /** Whether it answers a question for recent trades. */
  readonly isAnswer: boolean;
  readonly trades: readonly (HyperliquidTrade | NotTaken)[];
}

/** Contract context, decimals as sent. The venue sends no time with it. */
export interface AssetContext {
  readonly type: 'context';
  readonly facts: Pick<ContextFacts, 'fundingRate' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'midPrice' | 'dayVolume'>;
}

/** One hourly payment that was made; the rate as sent. */
export interface FundingPayment {
  readonly type: 'funding_payment';
  readonly timeMs: number;
  readonly rate: string;
}

/** Payments of an answer, each taken or not by itself. */
export interface FundingHistory {
  readonly type: 'funding';
  readonly payments: readonly (FundingPayment | NotTaken)[];
}

/** How many trades the venue counts in a minute so far. */
export interface MinuteCandle {
  readonly type: 'candle';
  readonly startMs: number;
  readonly tradeCount: number;
}

/** A forced close, which only the simulated venue tells of. */
export interface SimulatedLiquidation extends Pick<LiquidationEvent, 'positionSide' | 'price' | 'size'> {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly id: string;
}

/** The forced closes of a frame. */
interface LiquidationFrame {
  readonly type: 'liquidations';
  readonly liquidations: readonly (SimulatedLiquidation | NotTaken)[];
}

export type HyperliquidMessage =
  | WholeBook
  | BestPrices
  | TradeFrame
  | AssetContext
  | FundingHistory
  | MinuteCandle
  | LiquidationFrame
  | NotTaken;
