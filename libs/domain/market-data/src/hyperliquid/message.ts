import type { BookLevel, ContextEvent, TradeEvent } from '../event';
import type { NotTaken } from '../not-taken';

/** A whole book as pushed: best first, at most 20 levels a side. There is no sequence number; the time tells pushes apart. */
export interface WholeBook {
  readonly type: 'book';
  readonly timeMs: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
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

/** The trades of a frame, each taken or not by itself. The first frame after subscribing is a backlog of older trades. */
export interface TradeFrame {
  readonly type: 'trades';
  readonly trades: readonly (HyperliquidTrade | NotTaken)[];
}

/** Contract context. The venue sends no time with it. */
export interface AssetContext extends Pick<ContextEvent, 'fundingRate' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'midPrice' | 'dayVolume'> {
  readonly type: 'context';
}

export type HyperliquidMessage = WholeBook | TradeFrame | AssetContext | NotTaken;
