import binance from '../instruments/binance.json';
import hyperliquid from '../instruments/hyperliquid.json';
import simulated from '../instruments/simulated.json';
import type { VenueAnswerReader } from './audit/venue-answers';
import { binanceMessages, binanceAnswers } from './binance/venue-messages';
import { BinanceNormalizer } from './binance/normalizer';
import { coinmName, usdmName } from './binance/usdm-instrument';
import { bybitName } from './bybit/instrument';
import { hyperliquidMessages, simulatedMessages, hyperliquidAnswers } from './hyperliquid/venue-messages';
import { HyperliquidNormalizer } from './hyperliquid/normalizer';
import { hyperliquidName } from './hyperliquid/instrument';
import type { ExpectedMessages } from './live/expected-messages';
import { type LiveVenue, liveVenue } from './live/live-session';
import { binanceCoinmLines, binanceUsdmLines } from './recordings/binance-lines';
import { bybitLines } from './recordings/bybit-lines';
import { collectorReader } from './recordings/collector-files';
import type { FormatReader } from './recordings/format';
import { hyperliquidArchiveLines, hyperliquidWsLines } from './recordings/hyperliquid-lines';
import { lineReader } from './recordings/line-format';
import type { VenueNameParser } from './venue-name';

export interface VenueUrls {
  readonly wsUrl: string;
  readonly restUrl: string;
}

interface LivePart {
  /** Name in `FEED`; markets of one exchange share a feed. */
  readonly feed: string;
  readonly rows: readonly object[];
  /**
   * Public addresses, overridden by `<variable>_WS_URL` and `<variable>_REST_URL`. Absent if each installation has its
   * own.
   */
  readonly publicUrls?: VenueUrls & { readonly variable: string };
  /** WebSocket path below the REST host if both share one, as in tests; may be ''. */
  readonly socketPath: string;
  readonly messages: LiveVenue;
  readonly expected: ExpectedMessages;
  readonly answers: VenueAnswerReader;
}

/** Registry entry of a venue. Its message source is in `@market-state/venues`, under the same name. */
export interface Venue {
  readonly name: string;
  /** Recording formats. No two formats may match the same first line. */
  readonly formats: readonly FormatReader[];
  readonly parseName?: VenueNameParser;
  readonly live?: LivePart;
  /** Recordings may contain best prices (`bookTicker`) independent of the book. */
  readonly hasBestPrices?: true;
  /** Known US dollar values per contract. A wrong value would corrupt every size. */
  readonly contractValues?: Readonly<Record<string, string>>;
}

const playedHyperliquid = liveVenue(hyperliquidWsLines, (place, log) => new HyperliquidNormalizer(place, log));
const playedBinance = { feed: 'binance', rows: binance, socketPath: '', expected: binanceMessages, answers: binanceAnswers };

export const venues: readonly Venue[] = [
  {
    // Uses Hyperliquid's protocol and recording format.
    name: 'simulated',
    formats: [],
    live: {
      feed: 'simulated',
      rows: simulated,
      socketPath: '/ws',
      messages: playedHyperliquid,
      expected: simulatedMessages,
      answers: hyperliquidAnswers,
    },
  },
  {
    name: 'hyperliquid',
    formats: [lineReader(hyperliquidWsLines), lineReader(hyperliquidArchiveLines), collectorReader],
    parseName: hyperliquidName,
    live: {
      feed: 'hyperliquid',
      rows: hyperliquid,
      publicUrls: { variable: 'HYPERLIQUID', wsUrl: 'wss://api.hyperliquid.xyz/ws', restUrl: 'https://api.hyperliquid.xyz' },
      socketPath: '/ws',
      messages: playedHyperliquid,
      expected: hyperliquidMessages,
      answers: hyperliquidAnswers,
    },
  },
  {
    name: 'binance-coinm',
    formats: [lineReader(binanceCoinmLines)],
    parseName: coinmName,
    live: {
      ...playedBinance,
      publicUrls: { variable: 'BINANCE_COINM', wsUrl: 'wss://dstream.binance.com', restUrl: 'https://dapi.binance.com' },
      messages: liveVenue(binanceCoinmLines, (place, log) => new BinanceNormalizer(place, log)),
    },
    hasBestPrices: true,
    contractValues: { BTCUSD_PERP: '100', ETHUSD_PERP: '10' },
  },
  {
    name: 'binance-usdm',
    formats: [lineReader(binanceUsdmLines)],
    parseName: usdmName,
    live: {
      ...playedBinance,
      publicUrls: { variable: 'BINANCE_USDM', wsUrl: 'wss://fstream.binance.com', restUrl: 'https://fapi.binance.com' },
      messages: liveVenue(binanceUsdmLines, (place, log) => new BinanceNormalizer(place, log)),
    },
    hasBestPrices: true,
  },
  { name: 'bybit', formats: [lineReader(bybitLines)], parseName: bybitName },
];

export function venueOf(name: string): Venue | undefined {
  return venues.find((venue) => venue.name === name);
}

/** @throws RangeError if there is no such live venue */
export function liveVenueOf(name: string): LiveVenue {
  const messages = venueOf(name)?.live?.messages;
  if (messages === undefined) throw new RangeError(`venue ${name} has no live messages`);
  return messages;
}

/** @throws RangeError if there is no such live venue */
export function venueAnswersOf(name: string): VenueAnswerReader {
  const answers = venueOf(name)?.live?.answers;
  if (answers === undefined) throw new RangeError(`venue ${name} has no REST responses`);
  return answers;
}

/** Addresses of a venue whose REST routes are below `http(s)://host:port`. */
export function urlsBelow({ live }: Venue, restUrl: string): VenueUrls {
  return { restUrl, wsUrl: `${restUrl.replace(/^http/, 'ws').replace(/\/$/, '')}${live?.socketPath ?? ''}` };
}

/** Environment variables for the addresses; undefined without public addresses. */
export function addressVariables({ live }: Venue): { readonly ws: string; readonly rest: string } | undefined {
  const variable = live?.publicUrls?.variable;
  return variable === undefined ? undefined : { ws: `${variable}_WS_URL`, rest: `${variable}_REST_URL` };
}
