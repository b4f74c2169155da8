export { SETTLED_MS, SymbolMarket, TAPE_LENGTH } from './symbol-market';
export {
  type CandleRow,
  joinCandles,
  toCandleRows,
  type Candle,
  candleSeries,
  openAtOrAfter,
  openAtOrBefore,
  CANDLES_MAX,
  carryCandles,
  toProtoCandle,
} from './candles/carry-candles';
export type { CandleGap, CandleSpan } from './candles/carry-candles';
export { type TradeCandle, TradeCandles } from './candles/trade-candles';
export { ALL_CHANNELS, type GapSpan, GapSpans, type GapTotals, SEAMS } from './gap-spans';
export type { ReadVenue } from './read-venue';
export { fromProtoChannel, passedId, toProtoChannel, toProtoSource, toProtoSourceKind, toProtoTrade } from './proto-names';
export {
  bookFacts,
  bookOfLog,
  readBook,
  toProtoSync,
  readContext,
  dayUpToNow,
  freshnessWith,
  readFreshness,
  readLiquidations,
  toProtoLiquidation,
  readTrades,
} from './reads';
export { gapFrames, marketFrames, toProtoVenue, FollowedMarket } from './followed-market';
