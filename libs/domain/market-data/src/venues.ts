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

/** Where a venue is. */
export interface VenueUrls {
  /** `ws://` or `wss://`. */
  readonly wsUrl: string;
  /** `http://` or `https://`. */
  readonly restUrl: string;
}

/** A venue as it is played live. */
interface LivePart {
  /** The feed that plays it, as `FEED` names it; markets of one exchange share one. */
  readonly feed: string;
  /** Rows of the instrument table for the feed. */
  readonly rows: readonly object[];
  /** Its public addresses; `<variable>_WS_URL` and `<variable>_REST_URL` name others. Absent where each installation has its own. */
  readonly publicUrls?: VenueUrls & { readonly variable: string };
  /** Path of its WebSocket, '' for none: it is there below the host of the REST routes where both are on one, as in tests. */
  readonly socketPath: string;
  readonly messages: LiveVenue;
  readonly expected: ExpectedMessages;
  /** How its answers to questions are read, which what is recorded of it is held against. */
  readonly answers: VenueAnswerReader;
}

/** One venue: all that is said of it in one place. Its source of messages is in `@market-state/venues`, under the same name. */
export interface Venue {
  /** Lower case, as events and rows of the instrument table name it. */
  readonly name: string;
  /** Formats of its recordings. No two formats of any venue may accept one first line. */
  readonly formats: readonly FormatReader[];
  /** Reads its names of instruments; absent where any name is one of its own. */
  readonly parseName?: VenueNameParser;
  /** Absent for a venue of which there are recordings alone. */
  readonly live?: LivePart;
  /** Its recordings may have best prices of their own (`bookTicker`), of which no book is made. */
  readonly hasBestPrices?: true;
  /** Where quantities are contracts: the dollars that one stands for, as far as known. Another value would make every size wrong. */
  readonly contractValues?: Readonly<Record<string, string>>;
}

const playedHyperliquid = liveVenue(hyperliquidWsLines, (place, log) => new HyperliquidNormalizer(place, log));
const playedBinance = { feed: 'binance', rows: binance, socketPath: '', expected: binanceMessages, answers: binanceAnswers };

/** Every venue. The order is that of the feeds. */
export const venues: readonly Venue[] = [
  {
    // It speaks as Hyperliquid does, and its recordings are in Hyperliquid's form.
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

/** The venue of that name, where there is one. */
export function venueOf(name: string): Venue | undefined {
  return venues.find((venue) => venue.name === name);
}

/** How a venue's live messages are read. @throws RangeError when there is no live venue of that name */
export function liveVenueOf(name: string): LiveVenue {
  const messages = venueOf(name)?.live?.messages;
  if (messages === undefined) throw new RangeError(`no live messages of ${name} are known`);
  return messages;
}

/** How a venue's answers to questions are read. @throws RangeError when there is no live venue of that name */
export function venueAnswersOf(name: string): VenueAnswerReader {
  const answers = venueOf(name)?.live?.answers;
  if (answers === undefined) throw new RangeError(`no answers of ${name} are known`);
  return answers;
}

/** Where a venue is whose REST routes are below an address, `http(s)://host:port`. */
export function urlsBelow({ live }: Venue, restUrl: string): VenueUrls {
  return { restUrl, wsUrl: `${restUrl.replace(/^http/, 'ws').replace(/\/$/, '')}${live?.socketPath ?? ''}` };
}

/** The variables that say where a venue is; undefined where it has no public address. */
export function addressVariables({ live }: Venue): { readonly ws: string; readonly rest: string } | undefined {
  const variable = live?.publicUrls?.variable;
  return variable === undefined ? undefined : { ws: `${variable}_WS_URL`, rest: `${variable}_REST_URL` };
}
