import type { BookLevel } from '@market-state/market-data';

/** `tsMs` is the matching engine time; ids rise within a kind. */
export type MarketMessage = BookMessage | TradeMessage | ContextMessage | LiquidationMessage;

/** Best levels after the step's last change. */
export interface BookMessage {
  readonly kind: 'book';
  readonly tsMs: number;
  readonly id: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** One fill; an order across several prices yields several. */
export interface TradeMessage {
  readonly kind: 'trade';
  readonly tsMs: number;
  readonly id: number;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: 'buy' | 'sell';
}

/** Sent every 3 s, without an id. */
export interface ContextMessage {
  readonly kind: 'context';
  readonly tsMs: number;
  readonly fundingRate: string;
  readonly openInterest: string;
  readonly markPrice: string;
  readonly oraclePrice: string;
  readonly midPrice: string;
  readonly dayVolume: string;
}

/** Liquidated position; its fills are separate trades. */
export interface LiquidationMessage {
  readonly kind: 'liquidation';
  readonly tsMs: number;
  readonly id: number;
  readonly positionSide: 'long' | 'short';
  readonly price: string;
  readonly size: string;
}
