import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import {
  type MultipliedName,
  type ListedPerpetual,
  ListingError,
  type VenueListing,
  factOf,
  powerOfTen,
} from '../listing/listed-perpetual';
import { perpetualOf, type VenueName } from '../venue-name';
import { isObject, isCount, parseJson } from '../json';
import { candlePrices, type ExpectedMessages, readCandles, type VenueAnswerReader, type VenueCandle } from '../audit/venue-answers';
import { unsignedAsSent } from '../decimal';
import { readAnswer, readBook } from './parse-frame';

const SPOT = /^@[0-9]+$|\//;
const BUILDERS = /^([^:]+):(.+)$/;

const THOUSAND = /^k([A-Z][A-Z0-9]*)$/;

/** A leading lower-case `k` is a thousand coins: `kPEPE`. */
function readCoin(coin: string): MultipliedName {
  const base = THOUSAND.exec(coin)?.[1];
  return base === undefined ? { base: coin.toUpperCase(), multiplier: '1' } : { base, multiplier: '1000' };
}

/**
 * `BTC` maps to `BTCUSD-PERP`, `kPEPE` to `PEPEUSD-PERP`. A builder's coin (`xyz:TSLA`) can collide with another name.
 */
export function hyperliquidName(coin: string): VenueName {
  if (SPOT.test(coin)) return { type: 'not_played', reason: 'is a spot pair; only perpetuals are labelled' };
  const [, builder, own = ''] = BUILDERS.exec(coin) ?? [];
  if (builder === undefined) return perpetualOf(readCoin(coin).base);
  const read = perpetualOf(own.toUpperCase());
  const reason = `is a perpetual of builder ${builder}, whose names can collide with others`;
  return read.type === 'symbol' ? { type: 'to_describe', reason, base: own.toUpperCase() } : { type: 'to_describe', reason };
}

/**
 * Books arrive about every 0.5 s, but every 5 s at the default pace: stale after twice that. All but 2 of 3,739
 * archived frames arrived within the closing lag.
 */
export function hyperliquidInstrument(symbol: string, coin: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'hyperliquid',
    venueInstrument: coin,
    channels,
    bookStalenessMs: 10_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 2_000,
  };
}

const META = 'metaAndAssetCtxs';

/** Prices have at most five significant digits, so the tick depends on the price; funding is paid every hour. */
export const hyperliquidListing: VenueListing = {
  requests: [{ name: META, path: 'info', body: { type: META } }],
  read(answers) {
    const [meta, contexts] = Array.isArray(answers[META]?.[0]) ? (answers[META][0] as unknown[]) : [];
    const universe: unknown = isObject(meta) ? meta['universe'] : undefined;
    if (!Array.isArray(universe)) throw new ListingError('the venue did not list its coins');
    return (universe as unknown[]).flatMap((asset, index): ListedPerpetual[] => {
      const name: unknown = isObject(asset) ? asset['name'] : undefined;
      if (!isObject(asset) || typeof name !== 'string') return [];
      const context: unknown = Array.isArray(contexts) ? contexts[index] : undefined;
      const decimals = asset['szDecimals'];
      return [
        {
          venueInstrument: name,
          ...readCoin(name),
          quote: 'USD',
          unit: 'base',
          lotSize: powerOfTen(typeof decimals === 'number' ? -decimals : undefined),
          fundingIntervalHours: 1,
          dayVolumeUsd: isObject(context) ? factOf(context['dayNtlVlm']) : undefined,
          ...(asset['isDelisted'] === true && { notTraded: 'the venue has delisted it' }),
        },
      ];
    });
  },
};

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
  candles: (text, { venueInstrument }) => readCandles(parseJson(text), (row) => readCandle(row, venueInstrument)),
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
  const prices = candlePrices([row['o'], row['h'], row['l'], row['c']]);
  const volume = unsignedAsSent(row['v']);
  if (prices === undefined || volume === undefined) return undefined;
  return { openMs: row['t'], ...prices, turnover: { field: 'volume', value: volume }, tradeTotal: row['n'] };
}
