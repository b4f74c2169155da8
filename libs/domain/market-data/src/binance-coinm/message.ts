import type { RejectionReason } from '../rejections';

/** Changed levels of one side: prices and quantities (contracts) as numbers of at most 15 digits; quantity 0 removes. */
export interface Levels {
  readonly prices: readonly number[];
  readonly contracts: readonly number[];
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
  readonly contracts: string;
  readonly buyerIsMaker: boolean;
}

export type VenueMessage = DepthDiff | DepthSnapshot | TradeMessage;

/** A message that is not taken. `ignored` is one that the log has no use for (`bookTicker`): no fault. */
export type NotTaken = { readonly type: 'rejected'; readonly reason: RejectionReason } | { readonly type: 'ignored' };
