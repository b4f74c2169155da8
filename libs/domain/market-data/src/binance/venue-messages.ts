import type { BestPrice, VenueAnswerReader, VenueCandle } from '../audit/venue-answers';
import { multiplyDecimals, decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal';
import { isCount, isObject, type Json, parseJson, parseObject } from '../json';
import type { ExpectedMessages } from '../live/expected-messages';

/** `ps` (pair) and `st` (market kind) can appear in any stream since the venue merged its two markets. */
const EVERY_STREAM = ['e', 'E', 's', 'ps', 'st'] as const;

export const binanceMessages: ExpectedMessages = {
  kindOf({ stream, data }) {
    return typeof stream === 'string' ? { kind: stream.split('@')[1] ?? stream, body: data } : undefined;
  },
  messages: {
    depth: { fields: [...EVERY_STREAM, 'T', 'U', 'u', 'pu', 'b', 'a'] },
    trade: { fields: [...EVERY_STREAM, 'T', 't', 'p', 'q', 'X', 'm'] },
    markPrice: { fields: [...EVERY_STREAM, 'p', 'P', 'i', 'r', 'T'] },
    ticker: { fields: [...EVERY_STREAM, 'p', 'P', 'w', 'c', 'Q', 'o', 'h', 'l', 'v', 'q', 'O', 'C', 'F', 'L', 'n'] },
    forceOrder: {
      fields: [...EVERY_STREAM, ...['s', 'ps', 'st', 'S', 'o', 'f', 'q', 'p', 'ap', 'X', 'l', 'z', 'T'].map((name) => `o.${name}`)],
      isRare: true,
    },
    depthSnapshot: { fields: ['lastUpdateId', 'E', 'T', 'symbol', 'pair', 'bids', 'asks'] },
    openInterest: { fields: ['symbol', 'pair', 'openInterest', 'contractType', 'time'] },
    fundingInfo: {
      fields: ['symbol', 'adjustedFundingRateCap', 'adjustedFundingRateFloor', 'fundingIntervalHours', 'disclaimer', 'updateTime'],
      isRare: true,
    },
    lastFunding: { fields: ['symbol', 'fundingTime', 'fundingRate', 'markPrice'], isRare: true },
    subscribed: { fields: ['streams'] },
  },
};

/** COIN-M candles count contracts, and its `premiumIndex` returns a list. */
export const binanceAnswers: VenueAnswerReader = {
  candles(text, { contractValue }) {
    const rows = parseJson(text);
    if (!Array.isArray(rows)) return undefined;
    const candles = (rows as unknown[]).map((row) => readKline(row, contractValue));
    return candles.every((candle) => candle !== undefined) ? candles : undefined;
  },
  bestPrices(text) {
    const { lastUpdateId, T: timeMs, bids, asks } = parseObject(text) ?? {};
    const [bid, ask] = [bestOf(bids), bestOf(asks)];
    if (!isCount(lastUpdateId) || !isCount(timeMs) || bid === undefined || ask === undefined) return undefined;
    return { place: { by: 'id', value: lastUpdateId }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const answer = parseJson(text);
    const entries: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    const entry = entries.find((each): each is Json => isObject(each) && each['symbol'] === venueInstrument);
    if (entry === undefined || !isCount(entry['time'])) return undefined;
    return { timeMs: entry['time'], markPrice: positiveAsSent(entry['markPrice']), fundingRate: decimalAsSent(entry['lastFundingRate']) };
  },
};

/** `[open time, open, high, low, close, volume, close time, other volume, trades, …]`. */
function readKline(row: unknown, contractValue: string | undefined): VenueCandle | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells = row as unknown[];
  const [openMs, tradeTotal] = [cells[0], cells[8]];
  const [open, high, low, close] = cells.slice(1, 5).map(positiveAsSent);
  const quantity = unsignedAsSent(cells[5]);
  if (!isCount(openMs) || !isCount(tradeTotal) || quantity === undefined) return undefined;
  if (open === undefined || high === undefined || low === undefined || close === undefined) return undefined;
  const turnover =
    contractValue === undefined
      ? ({ field: 'volume', value: quantity } as const)
      : ({ field: 'notional', value: multiplyDecimals(quantity, contractValue) } as const);
  return { openMs, open, high, low, close, turnover, tradeTotal };
}

function bestOf(levels: unknown): BestPrice | undefined {
  const [level] = Array.isArray(levels) ? (levels as unknown[]) : [];
  if (!Array.isArray(level)) return undefined;
  const [price, size] = [positiveAsSent(level[0]), positiveAsSent(level[1])];
  return price === undefined || size === undefined ? undefined : { price, size };
}
