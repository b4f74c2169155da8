import type { BestPrice, VenueAnswerReader, VenueCandle } from '../audit/venue-answers';
import { plainDecimal, positiveAsSent, positiveDecimal, unsignedAsSent } from '../decimal';
import { isCount, isObject, type Json, parseObject } from '../json';
import { parseUtcInstant } from '../text-forms';
import type { ExpectedMessages } from '../live/expected-messages';

const TRADE = ['feed', 'product_id', 'uid', 'side', 'type', 'seq', 'time', 'qty', 'price'];
const TICKER = [
  ...['feed', 'product_id', 'time', 'funding_rate', 'funding_rate_prediction', 'relative_funding_rate', 'relative_funding_rate_prediction'],
  ...['next_funding_rate_time', 'bid', 'ask', 'bid_size', 'ask_size', 'volume', 'dtm', 'leverage', 'index', 'premium', 'last', 'change'],
  ...['suspended', 'tag', 'pair', 'openInterest', 'markPrice', 'maturityTime', 'post_only', 'volumeQuote', 'open', 'high', 'low'],
];

export const krakenMessages: ExpectedMessages = {
  kindOf: (message) =>
    typeof message['feed'] === 'string' && message['event'] === undefined && message['feed'] !== 'heartbeat'
      ? { kind: message['feed'], body: message }
      : undefined,
  messages: {
    book_snapshot: {
      fields: ['feed', 'product_id', 'timestamp', 'seq', 'tickSize', 'bids', 'asks', 'bids.price', 'bids.qty', 'asks.price', 'asks.qty'],
    },
    book: { fields: ['feed', 'product_id', 'side', 'seq', 'price', 'qty', 'timestamp'] },
    trade: { fields: TRADE },
    trade_snapshot: { fields: ['feed', 'product_id', 'trades', ...TRADE.map((name) => `trades.${name}`)] },
    ticker: { fields: TICKER },
  },
};

/** Candles have no trade count. Tickers state the funding rate in dollars, not relative, so it is not compared. */
export const krakenAnswers: VenueAnswerReader = {
  candles(text, { contractValue }) {
    const { candles: rows } = parseObject(text) ?? {};
    if (!Array.isArray(rows)) return undefined;
    const candles = (rows as unknown[]).map((row) => (isObject(row) ? readCandle(row, contractValue !== undefined) : undefined));
    return candles.every((candle) => candle !== undefined) ? candles : undefined;
  },
  bestPrices(text) {
    const { orderBook, serverTime } = parseObject(text) ?? {};
    const timeMs = typeof serverTime === 'string' ? parseUtcInstant(serverTime) : undefined;
    if (!isObject(orderBook) || timeMs === undefined) return undefined;
    const [bid, ask] = [bestOf(orderBook['bids']), bestOf(orderBook['asks'])];
    return bid === undefined || ask === undefined ? undefined : { place: { by: 'time', value: timeMs }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const { ticker, serverTime } = parseObject(text) ?? {};
    const timeMs = typeof serverTime === 'string' ? parseUtcInstant(serverTime) : undefined;
    if (!isObject(ticker) || ticker['symbol'] !== venueInstrument) return undefined;
    return { ...(timeMs !== undefined && { timeMs }), markPrice: positiveAsSent(numberText(ticker['markPrice'])) };
  },
};

function numberText(value: unknown): string | undefined {
  return typeof value === 'number' ? plainDecimal(value) : undefined;
}

function readCandle({ time: openMs, volume, ...prices }: Json, isInverse: boolean): VenueCandle | undefined {
  const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) => positiveAsSent(prices[name]));
  const value = unsignedAsSent(volume);
  if (!isCount(openMs) || open === undefined || high === undefined || low === undefined || close === undefined || value === undefined)
    return undefined;
  return { openMs, open, high, low, close, turnover: { field: isInverse ? 'notional' : 'volume', value } };
}

/** Best first on both sides. */
function bestOf(levels: unknown): BestPrice | undefined {
  const [level] = Array.isArray(levels) ? (levels as unknown[]) : [];
  if (!Array.isArray(level)) return undefined;
  const [price, size] = [positiveDecimal(numberText(level[0])), positiveDecimal(numberText(level[1]))];
  return price === undefined || size === undefined ? undefined : { price, size };
}
