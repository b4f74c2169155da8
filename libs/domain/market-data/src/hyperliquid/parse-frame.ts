import type { ContextFacts } from '../log-writer';
import type { BookLevel, LiquidationEvent, TradeEvent } from '../event';
import { type NotAccepted, rejected, type RejectionReason, IGNORED, isOversized } from '../rejections';
import { isCount, isObject, type Json, parseJson } from '../json';
import { positiveDecimal, decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal';

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

interface FundingHistory {
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

/** Crossed sides are left to the normalizer. */
export function bookFault(bids: readonly BookLevel[], asks: readonly BookLevel[]): RejectionReason | undefined {
  if (bids.length === 0 || asks.length === 0) return 'one_sided_book';
  return isSorted(bids, -1) && isSorted(asks, 1) ? undefined : 'unknown_message';
}

/** Equal best prices are not crossed. */
export function isCrossed(bids: readonly BookLevel[], asks: readonly BookLevel[]): boolean {
  return Number(bids[0]?.price) > Number(asks[0]?.price);
}

function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every(({ price }, index) => index === 0 || (Number(price) - Number(levels[index - 1]?.price)) * direction > 0);
}

/** `l2Book`: `levels[0]` bids, `levels[1]` asks. */
export function readBook({ time: timeMs, levels }: Json): HyperliquidMessage {
  if (!isCount(timeMs) || !Array.isArray(levels) || levels.length !== 2) return rejected('unknown_message');
  const [bids, asks] = (levels as unknown[]).map(readSide);
  if (!Array.isArray(bids)) return rejected(bids ?? 'unknown_message');
  if (!Array.isArray(asks)) return rejected(asks ?? 'unknown_message');
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs, bids, asks } : rejected(fault);
}

/** `bbo`: `[bid, ask]`, null for an empty side. */
function readBestPrices({ time: timeMs, bbo }: Json): HyperliquidMessage {
  if (!isCount(timeMs) || !Array.isArray(bbo) || bbo.length !== 2) return rejected('unknown_message');
  const [bid, ask] = (bbo as unknown[]).map((level) => (level === null ? null : readLevel(level)));
  if (bid === undefined || ask === undefined) return rejected('unknown_message');
  if (typeof bid === 'string') return rejected(bid);
  if (typeof ask === 'string') return rejected(ask);
  return { type: 'best', timeMs, bid, ask };
}

function readSide(value: unknown): BookLevel[] | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const levels: BookLevel[] = [];
  for (const each of value as unknown[]) {
    const level = readLevel(each);
    if (typeof level === 'string') return level;
    levels.push(level);
  }
  return levels;
}

function readLevel(level: unknown): BookLevel | RejectionReason {
  if (!isObject(level)) return 'unknown_message';
  const price = positiveDecimal(level['px']);
  if (price === undefined) return 'bad_price';
  const size = positiveDecimal(level['sz']);
  return size === undefined ? 'bad_size' : { price, size };
}

/** Recognizes `info` responses by their shape. An empty list counts as no trades: it fits every row request. */
export function readAnswer(answer: Json | readonly unknown[], coin: string): HyperliquidMessage {
  return isList(answer) ? readList(answer, coin) : readObject(answer, coin);
}

function isList(answer: Json | readonly unknown[]): answer is readonly unknown[] {
  return Array.isArray(answer);
}

function readObject(answer: Json, coin: string): HyperliquidMessage {
  if ('levels' in answer && typeof answer['coin'] === 'string') return answer['coin'] === coin ? asAnswer(readBook(answer)) : IGNORED;
  if (Array.isArray(answer['universe'])) return IGNORED;
  const prices = Object.values(answer);
  return prices.length > 0 && prices.every((price) => positiveDecimal(price) !== undefined) ? IGNORED : rejected('unknown_message');
}

function asAnswer(message: HyperliquidMessage): HyperliquidMessage {
  return message.type === 'book' ? { ...message, isAnswer: true } : message;
}

function readList(answer: readonly unknown[], coin: string): HyperliquidMessage {
  const [first, second] = answer;
  if (first === undefined) return readTrades(answer, coin, true);
  if (!isObject(first)) return rejected('unknown_message');
  if (Array.isArray(first['universe'])) return readUniverse(first['universe'] as unknown[], second, coin);
  if ('fundingRate' in first) return readFunding(answer, coin);
  if ('closedPnl' in first) return IGNORED;
  if ('tid' in first) return readTrades(answer, coin, true);
  return 'T' in first && 'i' in first ? IGNORED : rejected('unknown_message');
}

function readUniverse(universe: readonly unknown[], contexts: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(contexts)) return rejected('unknown_message');
  const index = universe.findIndex((asset) => isObject(asset) && asset['name'] === coin);
  return index < 0 ? IGNORED : readAssetContext((contexts as unknown[])[index]);
}

/** Taker side: B(id) buys, A(sk) sells. */
const SIDES = new Map<unknown, TradeEvent['aggressorSide']>([
  ['B', 'buy'],
  ['A', 'sell'],
]);
const POSITION_SIDES = new Map<unknown, SimulatedLiquidation['positionSide']>([
  ['long', 'long'],
  ['short', 'short'],
]);

function readTrades(rows: unknown, coin: string, isAnswer: boolean): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'trades', isAnswer, trades: (rows as unknown[]).map((row) => readTrade(row, coin)) };
}

function readTrade(row: unknown, coin: string): HyperliquidTrade | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { tid, time: timeMs, px, sz, side } = row;
  const aggressorSide = SIDES.get(side);
  if (!isCount(tid) || !isCount(timeMs) || aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id: String(tid), price, size, aggressorSide };
}

/** A row of `node_trades`, whose time is text and which has no id. */
export function readArchivedTrade(row: Json, coin: string, timeMs: number, id: number): HyperliquidMessage {
  return { type: 'trades', isAnswer: false, trades: [readTrade({ ...row, time: timeMs, tid: id }, coin)] };
}

function readFunding(rows: readonly unknown[], coin: string): HyperliquidMessage {
  return { type: 'funding', payments: rows.map((row) => readPayment(row, coin)) };
}

function readPayment(row: unknown, coin: string): FundingPayment | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string' || !isCount(row['time'])) return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const rate = decimalAsSent(row['fundingRate']);
  return rate === undefined ? rejected('bad_size') : { type: 'funding_payment', timeMs: row['time'], rate };
}

/** `simLiquidations`, only from the simulated venue. */
function readLiquidations(rows: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'liquidations', liquidations: (rows as unknown[]).map((row) => readLiquidation(row, coin)) };
}

function readLiquidation(row: unknown, coin: string): SimulatedLiquidation | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { id, time: timeMs, px, sz } = row;
  const positionSide = POSITION_SIDES.get(row['positionSide']);
  if (!isCount(id) || !isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  return size === undefined ? rejected('bad_size') : { type: 'liquidation', timeMs, id: String(id), positionSide, price, size };
}

/** Hourly rate, open interest in coins, volume in dollars. `midPx` is null if a book side is empty. */
export function readAssetContext(ctx: unknown): HyperliquidMessage {
  if (!isObject(ctx)) return rejected('unknown_message');
  const { funding, openInterest, markPx, oraclePx, midPx, dayNtlVlm } = ctx;
  const [markPrice, oraclePrice, midPrice] = [markPx, oraclePx, midPx].map((price) => optional(price, positiveAsSent));
  if (markPrice === null || oraclePrice === null || midPrice === null) return rejected('bad_price');
  const [fundingRate, interest, dayVolume] = [
    optional(funding, decimalAsSent),
    optional(openInterest, unsignedAsSent),
    optional(dayNtlVlm, unsignedAsSent),
  ];
  if (fundingRate === null || interest === null || dayVolume === null) return rejected('bad_size');
  if ([markPrice, oraclePrice, midPrice, fundingRate, interest, dayVolume].every((value) => value === undefined)) return IGNORED;
  return { type: 'context', facts: { fundingRate, openInterest: interest, markPrice, oraclePrice, midPrice, dayVolume } };
}

function optional(value: unknown, read: (value: unknown) => string | undefined): string | undefined | null {
  return value === undefined || value === null ? undefined : (read(value) ?? null);
}

const UNUSED_CHANNELS: readonly unknown[] = ['allMids', 'allDexsAssetCtxs', 'user', 'subscriptionResponse', 'pong', 'error'];
const CANDLE_INTERVAL = '1m';

/** Ignores other coins. Never throws. */
export function parseFrame(text: string, start: number, coin: string): HyperliquidMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const value = parseJson(start === 0 ? text : text.slice(start));
  if (Array.isArray(value) || (isObject(value) && !('channel' in value))) return readAnswer(value, coin);
  return isObject(value) ? readFrame(value, coin) : rejected('broken_json');
}

export function readFrame({ channel, data }: Json, coin: string): HyperliquidMessage {
  if (UNUSED_CHANNELS.includes(channel)) return IGNORED;
  if (channel === 'trades') return readTrades(data, coin, false);
  if (channel === 'simLiquidations') return readLiquidations(data, coin);
  if (channel === 'candle') return readCandle(data, coin);
  if (!isObject(data) || typeof data['coin'] !== 'string') return rejected('unknown_message');
  if (data['coin'] !== coin) return IGNORED;
  switch (channel) {
    case 'l2Book':
      return readBook(data);
    case 'bbo':
      return readBestPrices(data);
    case 'activeAssetCtx':
      return readAssetContext(data['ctx']);
    default:
      return rejected('unknown_message');
  }
}

function readCandle(candle: unknown, coin: string): HyperliquidMessage {
  if (!isObject(candle)) return rejected('unknown_message');
  const { s, i, t: startMs, T: endMs, n: tradeCount } = candle;
  if (typeof s !== 'string' || typeof i !== 'string' || !isCount(startMs) || !isCount(endMs) || !isCount(tradeCount))
    return rejected('unknown_message');
  return s === coin && i === CANDLE_INTERVAL ? { type: 'candle', startMs, tradeCount } : IGNORED;
}
