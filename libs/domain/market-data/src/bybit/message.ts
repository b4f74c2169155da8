import type { LiquidationEvent, TradeEvent } from '../event';
import type { NotTaken } from '../not-taken';

/** Levels of one side: prices and sizes (base units) as numbers of at most 15 digits; in a delta size 0 removes. */
export interface Levels {
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
}

/** `snapshot`: the whole book (200 levels a side), which replaces what is there; `delta`: changes. */
export interface BookFrame {
  readonly type: 'snapshot' | 'delta';
  /** `cts`, when the matching engine made it; `ts`, when the frame was made, where there is none. */
  readonly timeMs: number;
  /** `u`: rises by exactly 1 from frame to frame; 1 again when the venue's service has restarted. */
  readonly updateId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** One trade; `S` is the taker's side. */
export interface BybitTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

/** A position taken over by the venue. */
export interface BybitLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly size: string;
}

/** The entries of a frame, each taken or not by itself. */
export interface EntryFrame {
  readonly type: 'entries';
  readonly entries: readonly (BybitTrade | BybitLiquidation | NotTaken)[];
}

/** The fields of a ticker that the context reads, as sent; one that a delta does not carry has not changed. */
export interface TickerFields {
  readonly fundingRate?: string;
  readonly fundingIntervalHour?: string;
  readonly openInterest?: string;
  readonly markPrice?: string;
  readonly indexPrice?: string;
  readonly turnover24h?: string;
}

export interface TickerFrame {
  readonly type: 'ticker';
  readonly isSnapshot: boolean;
  /** `ts`: when the frame was made; there is no matching engine's time. */
  readonly timeMs: number;
  /** `cs`: the cross sequence, rising. */
  readonly id: string;
  readonly fields: TickerFields;
}

/** The connection was made anew: nothing of the book before holds. */
export interface Reconnected {
  readonly type: 'reconnected';
}

export type BybitMessage = BookFrame | EntryFrame | TickerFrame | Reconnected | NotTaken;
