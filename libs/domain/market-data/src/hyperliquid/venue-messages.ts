import type { VenueAnswerReader, VenueCandle } from '../audit/venue-answers';
import { positiveAsSent, unsignedAsSent } from '../decimal';
import { isCount, isObject, parseJson } from '../json';
import { readAnswer } from './parse-frame';
import { readBook } from './read-book';
import type { ExpectedMessages } from '../live/expected-messages';

const CONNECTION_CHANNELS: readonly unknown[] = ['subscriptionResponse', 'pong'];

export const hyperliquidMessages: ExpectedMessages = {
  kindOf: ({ channel, data }) => (CONNECTION_CHANNELS.includes(channel) ? undefined : { kind: String(channel), body: data }),
  messages: {
    l2Book: { fields: ['coin', 'time', 'levels.px', 'levels.sz', 'levels.n', 'spread', 'fast'] },
    bbo: { fields: ['coin', 'time', 'bbo.px', 'bbo.sz', 'bbo.n', 'bbo'] },
    trades: { fields: ['coin', 'side', 'px', 'sz', 'hash', 'time', 'tid', 'users'] },
    activeAssetCtx: {
      fields: [
        'coin',
        ...['funding', 'openInterest', 'prevDayPx', 'dayNtlVlm', 'premium', 'oraclePx', 'markPx', 'midPx', 'impactPxs', 'dayBaseVlm'].map(
          (name) => `ctx.${name}`,
        ),
      ],
    },
    candle: { fields: ['t', 'T', 's', 'i', 'o', 'c', 'h', 'l', 'v', 'n'] },
  },
};

export const simulatedMessages: ExpectedMessages = {
  ...hyperliquidMessages,
  messages: {
    ...hyperliquidMessages.messages,
    simLiquidations: { fields: ['coin', 'id', 'positionSide', 'px', 'sz', 'time'], isRare: true },
  },
};

export const hyperliquidAnswers: VenueAnswerReader = {
  candles(text, { venueInstrument }) {
    const rows = parseJson(text);
    if (!Array.isArray(rows)) return undefined;
    const candles = (rows as unknown[]).map((row) => readCandle(row, venueInstrument));
    return candles.every((candle) => candle !== undefined) ? candles : undefined;
  },
  bestPrices(text, { venueInstrument }) {
    const answer = parseJson(text);
    if (!isObject(answer) || answer['coin'] !== venueInstrument) return undefined;
    const book = readBook(answer);
    if (book.type !== 'book') return undefined;
    const { timeMs, bids, asks } = book;
    const [bid, ask] = [bids[0], asks[0]];
    return bid === undefined || ask === undefined ? undefined : { place: { by: 'time', value: timeMs }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const answer = parseJson(text);
    if (!Array.isArray(answer)) return undefined;
    const message = readAnswer(answer, venueInstrument);
    return message.type === 'context' ? { markPrice: message.facts.markPrice, fundingRate: message.facts.fundingRate } : undefined;
  },
};

function readCandle(row: unknown, coin: string): VenueCandle | undefined {
  if (!isObject(row) || row['s'] !== coin || row['i'] !== '1m' || !isCount(row['t']) || !isCount(row['n'])) return undefined;
  const [open, high, low, close] = [row['o'], row['h'], row['l'], row['c']].map(positiveAsSent);
  const volume = unsignedAsSent(row['v']);
  if (open === undefined || high === undefined || low === undefined || close === undefined || volume === undefined) return undefined;
  return { openMs: row['t'], open, high, low, close, turnover: { field: 'volume', value: volume }, tradeTotal: row['n'] };
}
