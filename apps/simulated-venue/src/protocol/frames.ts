import type { BookMessage, LiquidationMessage, TradeMessage } from '@market-state/scenarios';

export const COIN = 'SIM';
/** Symbol of the simulated market. */
export const SYMBOL = 'SIMUSD-PERP';

const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;

/** Fictitious account address, deterministic by trade and side. */
function address(tid: number, side: 'buyer' | 'seller'): string {
  return `0x${digits(tid * 2 + (side === 'buyer' ? 0 : 1), ADDRESS_DIGITS)}`;
}

function transactionHash(tid: number): string {
  return `0x${digits(tid * 3 + 2, HASH_DIGITS)}`;
}

function digits(value: number, count: number): string {
  let state = Math.imul(value % 4_294_967_296, 0x9e3779b1) ^ Math.floor(value / 4_294_967_296);
  let text = '';
  while (text.length < count) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    text += ((state ^ (state >>> 13)) >>> 0).toString(16).padStart(8, '0');
  }
  return text.slice(0, count);
}

/** Levels per side of an `l2Book` push, at the default and the fast pace. */
export const WHOLE_LEVELS = 20;
export const FAST_LEVELS = 5;

const STREAMS = ['l2Book', 'l2BookFast', 'bbo', 'trades', 'activeAssetCtx', 'candle', 'simLiquidations'] as const;
export type Stream = (typeof STREAMS)[number];

interface Level {
  readonly n: number;
  readonly px: string;
  readonly sz: string;
}

export interface BookFrame {
  readonly channel: 'l2Book';
  readonly data: { readonly coin: string; readonly levels: readonly [readonly Level[], readonly Level[]]; readonly time: number };
}

interface BestFrame {
  readonly channel: 'bbo';
  readonly data: { readonly bbo: readonly [Level, Level]; readonly coin: string; readonly time: number };
}

export interface TradeRow {
  readonly coin: string;
  readonly hash: string;
  readonly px: string;
  readonly side: 'A' | 'B';
  readonly sz: string;
  readonly tid: number;
  readonly time: number;
  readonly users: readonly [string, string];
}

interface TradesFrame {
  readonly channel: 'trades';
  readonly data: readonly TradeRow[];
}

export interface AssetContext {
  readonly dayBaseVlm: string;
  readonly dayNtlVlm: string;
  readonly funding: string;
  readonly impactPxs: readonly [string, string];
  readonly markPx: string;
  readonly midPx: string;
  readonly openInterest: string;
  readonly oraclePx: string;
  readonly premium: string;
  readonly prevDayPx: string;
}

interface ContextFrame {
  readonly channel: 'activeAssetCtx';
  readonly data: { readonly coin: string; readonly ctx: AssetContext };
}

export interface Candle {
  readonly t: number;
  readonly T: number;
  readonly s: string;
  readonly i: '1m';
  readonly o: string;
  readonly c: string;
  readonly h: string;
  readonly l: string;
  readonly v: string;
  readonly n: number;
}

interface CandleFrame {
  readonly channel: 'candle';
  readonly data: Candle;
}

interface LiquidationsFrame {
  readonly channel: 'simLiquidations';
  readonly data: readonly {
    readonly coin: string;
    readonly id: number;
    readonly positionSide: 'long' | 'short';
    readonly px: string;
    readonly sz: string;
    readonly time: number;
  }[];
}

export type Frame = BookFrame | BestFrame | TradesFrame | ContextFrame | CandleFrame | LiquidationsFrame;

export interface OutFrame {
  readonly stream: Stream;
  readonly frame: Frame;
}

/** The venue writes every decimal with a point. */
export function wireDecimal(text: string): string {
  return text.includes('.') ? text : `${text}.0`;
}

export function bookFrame(book: BookMessage, levels: number): BookFrame {
  return {
    channel: 'l2Book',
    data: { coin: COIN, levels: [book.bids.slice(0, levels).map(levelOf), book.asks.slice(0, levels).map(levelOf)], time: book.tsMs },
  };
}

export function bestFrame({ tsMs, bids: [bid], asks: [ask] }: BookMessage): BestFrame | undefined {
  if (bid === undefined || ask === undefined) return undefined;
  return { channel: 'bbo', data: { bbo: [levelOf(bid), levelOf(ask)], coin: COIN, time: tsMs } };
}

/** @param idBase offset of the market's ids, which restart at 1 with the venue */
export function tradeRow({ tsMs, id, price, size, aggressorSide }: TradeMessage, idBase: number): TradeRow {
  const tid = idBase + id;
  return {
    coin: COIN,
    hash: transactionHash(tid),
    px: wireDecimal(price),
    side: aggressorSide === 'buy' ? 'B' : 'A',
    sz: wireDecimal(size),
    tid,
    time: tsMs,
    users: [address(tid, 'buyer'), address(tid, 'seller')],
  };
}

export function liquidationsFrame(liquidations: readonly LiquidationMessage[], idBase: number): LiquidationsFrame {
  return {
    channel: 'simLiquidations',
    data: liquidations.map(({ id, tsMs, positionSide, price, size }) => ({
      coin: COIN,
      id: idBase + id,
      positionSide,
      px: wireDecimal(price),
      sz: wireDecimal(size),
      time: tsMs,
    })),
  };
}

/** The market does not model order counts: one per 8 units, at least one. */
function levelOf({ price, size }: { readonly price: string; readonly size: string }): Level {
  return { n: Math.max(1, Math.round(Number(size) / 8)), px: wireDecimal(price), sz: wireDecimal(size) };
}
