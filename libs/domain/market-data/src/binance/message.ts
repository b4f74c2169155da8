import type { NotTaken } from '../not-taken';

/** Which of the venue's two futures markets. They differ in layout: COIN-M messages name the pair, and quantities are contracts; USD-M quantities are base units. */
export type BinanceMarket = 'coinm' | 'usdm';

/** Changed levels of one side: prices and quantities (contracts on COIN-M, base units on USD-M) as numbers of at most 15 digits; quantity 0 removes. */
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

/** A message that the log has a use for. */
export type TakenMessage = DepthDiff | DepthSnapshot | TradeMessage;

export type BinanceMessage = TakenMessage | NotTaken;
