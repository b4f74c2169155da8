import type { BestPrice, VenueAnswerReader, VenueCandle } from '../audit/venue-answers';
import { decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal';
import { isCount, isObject, type Json, parseObject } from '../json';
import type { ExpectedMessages } from '../live/expected-messages';

const TICKER_FIELDS = [
  ...['symbol', 'tickDirection', 'price24hPcnt', 'lastPrice', 'prevPrice24h', 'highPrice24h', 'lowPrice24h', 'prevPrice1h', 'markPrice'],
  ...[
    'indexPrice',
    'openInterest',
    'openInterestValue',
    'turnover24h',
    'volume24h',
    'fundingIntervalHour',
    'fundingCap',
    'nextFundingTime',
  ],
  ...['fundingRate', 'bid1Price', 'bid1Size', 'ask1Price', 'ask1Size', 'preOpenPrice', 'preQty', 'curPreListingPhase'],
  ...['singleOpenInterest', 'singleOpenInterestValue'],
];

export const bybitMessages: ExpectedMessages = {
  kindOf: ({ topic, data }) => (typeof topic === 'string' ? { kind: topic.split('.')[0] ?? topic, body: data } : undefined),
  messages: {
    orderbook: { fields: ['s', 'b', 'a', 'u', 'seq'] },
    publicTrade: { fields: ['T', 's', 'S', 'v', 'p', 'L', 'i', 'BT', 'RPI', 'seq'] },
    tickers: { fields: TICKER_FIELDS },
    allLiquidation: { fields: ['T', 's', 'S', 'v', 'p'], isRare: true },
    recentTrades: {
      fields: [
        ...['retCode', 'retMsg', 'time', 'result.category', 'result.list'],
        ...['execId', 'symbol', 'price', 'size', 'side', 'time', 'isBlockTrade', 'isRPITrade', 'seq'].map((name) => `result.list.${name}`),
      ],
      isRare: true,
    },
  },
};

/** Candles have no trade count. */
export const bybitAnswers: VenueAnswerReader = {
  candles(text, { contractValue }) {
    const candles = listOf(text)?.map((row) => readKline(row, contractValue !== undefined));
    return candles?.every((candle) => candle !== undefined) === true ? candles : undefined;
  },
  bestPrices(text) {
    const { result } = parseObject(text) ?? {};
    if (!isObject(result)) return undefined;
    const { cts: timeMs = result['ts'], b, a } = result;
    const [bid, ask] = [bestOf(b), bestOf(a)];
    if (!isCount(timeMs) || bid === undefined || ask === undefined) return undefined;
    return { place: { by: 'time', value: timeMs }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const { time } = parseObject(text) ?? {};
    const entry = listOf(text)?.find((each): each is Json => isObject(each) && each['symbol'] === venueInstrument);
    if (entry === undefined) return undefined;
    return {
      ...(isCount(time) && { timeMs: time }),
      markPrice: positiveAsSent(entry['markPrice']),
      fundingRate: decimalAsSent(entry['fundingRate']),
    };
  },
};

function listOf(text: string): readonly unknown[] | undefined {
  const { retCode, result } = parseObject(text) ?? {};
  return retCode === 0 && isObject(result) && Array.isArray(result['list']) ? (result['list'] as unknown[]) : undefined;
}

/** `[start, open, high, low, close, volume, turnover]`; the volume of inverse contracts counts dollars. */
function readKline(row: unknown, isInverse: boolean): VenueCandle | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells = row as unknown[];
  const openMs = Number(cells[0]);
  const [open, high, low, close] = cells.slice(1, 5).map(positiveAsSent);
  const value = unsignedAsSent(cells[5]);
  if (!isCount(openMs) || open === undefined || high === undefined || low === undefined || close === undefined || value === undefined)
    return undefined;
  return { openMs, open, high, low, close, turnover: { field: isInverse ? 'notional' : 'volume', value } };
}

function bestOf(levels: unknown): BestPrice | undefined {
  const [level] = Array.isArray(levels) ? (levels as unknown[]) : [];
  if (!Array.isArray(level)) return undefined;
  const [price, size] = [positiveAsSent(level[0]), positiveAsSent(level[1])];
  return price === undefined || size === undefined ? undefined : { price, size };
}
