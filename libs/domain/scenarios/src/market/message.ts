import type { BookLevel } from '@market-state/market-data';

/** What the venue publishes; `tsMs` is the matching engine's time, ids rise within a kind. */
export type MarketMessage = BookMessage | TradeMessage | ContextMessage | LiquidationMessage;

/** The best levels after the step's last change. */
export interface BookMessage {
  readonly kind: 'book';
  readonly tsMs: number;
  readonly id: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** One fill of a market order; an order that runs through several prices gives several. */
export interface TradeMessage {
  readonly kind: 'trade';
  readonly tsMs: number;
  readonly id: number;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: 'buy' | 'sell';
}

/** Contract facts, sent every 3 s; the venue gives them no id. */
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

/** A position closed by force; the fills that closed it are trades of their own. */
export interface LiquidationMessage {
  readonly kind: 'liquidation';
  readonly tsMs: number;
  readonly id: number;
  readonly positionSide: 'long' | 'short';
  readonly price: string;
  readonly size: string;
}
