import binance from '../instruments/binance.json';
import bybit from '../instruments/bybit.json';
import hyperliquid from '../instruments/hyperliquid.json';
import kraken from '../instruments/kraken.json';
import okx from '../instruments/okx.json';
import simulated from '../instruments/simulated.json';
import type { VenueAnswerReader, ExpectedMessages } from './audit/venue-answers';
import { binanceListing, coinmName, usdmName, binanceMessages, binanceAnswers } from './binance/venue';
import { BinanceNormalizer } from './binance/normalizer';
import { bybitInverseName, bybitName, bybitListing, bybitAnswers, bybitMessages } from './bybit/venue';
import { bybitInverseStreamLines, bybitStreamLines } from './bybit/stream-lines';
import { hyperliquidListing, hyperliquidName, hyperliquidMessages, simulatedMessages, hyperliquidAnswers } from './hyperliquid/venue';
import { HyperliquidNormalizer } from './hyperliquid/normalizer';
import { krakenName, krakenUnit, krakenListing, krakenAnswers, krakenMessages } from './kraken/venue';
import { krakenStreamLines } from './kraken/stream-lines';
import { type LiveVenue, liveVenue } from './live/live-session';
import type { LogPosition, LogWriter } from './log-writer';
import { NumberedNormalizer } from './numbered/normalizer';
import { okxName, okxUnit, okxListing, okxAnswers, okxMessages } from './okx/venue';
import { okxStreamLines } from './okx/stream-lines';
import { binanceCoinmLines, binanceUsdmLines } from './recordings/binance-lines';
import { bybitLines } from './recordings/bybit-lines';
import { collectorReader } from './recordings/collector-files';
import type { FormatReader } from './recordings/format';
import { hyperliquidArchiveReader } from './user-archives/hyperliquid-archive';
import { hyperliquidWsLines } from './recordings/hyperliquid-lines';
import { lineReader } from './recordings/line-format';
import type { VenueListing } from './listing/listed-perpetual';
import type { RowLimits } from './listing/rows-of-listing';
import type { VenueNameParser } from './venue-name';

export interface VenueUrls {
  readonly wsUrl: string;
  readonly restUrl: string;
}

interface LivePart {
  /** Name in `FEED`; markets of one exchange share it. */
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
  /** Metadata of every instrument. Absent: only instruments of the table. */
  readonly listing?: VenueListing;
  /** Limits of rows made from the listing. */
  readonly limits: RowLimits;
  /** Limit of the venue; more instruments use further connections. */
  readonly connectionMax?: number;
}

/** The message source is in `@market-state/venues`, under the same name. */
export interface Venue {
  readonly name: string;
  /** Recording formats. No two formats may match the same first line. */
  readonly formats: readonly FormatReader[];
  readonly parseName?: VenueNameParser;
  readonly live?: LivePart;
  /** Recordings may contain best prices (`bookTicker`) independent of the book. */
  readonly hasBestPrices?: true;
  /** Unit of an instrument's quantities; default: base units. `inverse`: US dollars, `contract`: base units, per contract. */
  readonly unitOf?: (venueInstrument: string) => 'base' | 'inverse' | 'contract';
  /** Known US dollar values per contract. A wrong value would corrupt every size. */
  readonly contractValues?: Readonly<Record<string, string>>;
}

const playedHyperliquid = liveVenue(hyperliquidWsLines, (place, log) => new HyperliquidNormalizer(place, log));
const ALL = ['book', 'trade', 'context', 'liquidation'] as const;
const playedBinance = {
  feed: 'binance',
  rows: binance,
  socketPath: '',
  expected: binanceMessages,
  answers: binanceAnswers,
  // 1,024 streams a connection, five an instrument.
  connectionMax: 200,
  limits: { channels: ALL, bookStalenessMs: 30_000, closingLagMs: 1_000 },
};

const playedBybit = {
  feed: 'bybit',
  rows: bybit,
  expected: bybitMessages,
  answers: bybitAnswers,
  connectionMax: 200,
  limits: { channels: ALL, bookStalenessMs: 30_000, closingLagMs: 1_000 },
};

function numbered(place: LogPosition, log: LogWriter): NumberedNormalizer {
  return new NumberedNormalizer(place, log);
}

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
      listing: hyperliquidListing,
      limits: { channels: ALL, bookStalenessMs: 10_000, closingLagMs: 2_000 },
    },
  },
  {
    name: 'hyperliquid',
    formats: [lineReader(hyperliquidWsLines), hyperliquidArchiveReader, collectorReader],
    parseName: hyperliquidName,
    live: {
      feed: 'hyperliquid',
      rows: hyperliquid,
      publicUrls: { variable: 'HYPERLIQUID', wsUrl: 'wss://api.hyperliquid.xyz/ws', restUrl: 'https://api.hyperliquid.xyz' },
      socketPath: '/ws',
      messages: playedHyperliquid,
      expected: hyperliquidMessages,
      answers: hyperliquidAnswers,
      listing: hyperliquidListing,
      limits: { channels: ['book', 'trade', 'context'], bookStalenessMs: 30_000, closingLagMs: 2_000 },
    },
  },
  {
    name: 'binance-coinm',
    formats: [lineReader(binanceCoinmLines)],
    parseName: coinmName,
    live: {
      ...playedBinance,
      publicUrls: { variable: 'BINANCE_COINM', wsUrl: 'wss://dstream.binance.com', restUrl: 'https://dapi.binance.com' },
      listing: binanceListing('coinm'),
      messages: liveVenue(binanceCoinmLines, (place, log) => new BinanceNormalizer(place, log)),
    },
    hasBestPrices: true,
    unitOf: () => 'inverse',
    contractValues: { BTCUSD_PERP: '100', ETHUSD_PERP: '10' },
  },
  {
    name: 'binance-usdm',
    formats: [lineReader(binanceUsdmLines)],
    parseName: usdmName,
    live: {
      ...playedBinance,
      publicUrls: { variable: 'BINANCE_USDM', wsUrl: 'wss://fstream.binance.com', restUrl: 'https://fapi.binance.com' },
      listing: binanceListing('usdm'),
      messages: liveVenue(binanceUsdmLines, (place, log) => new BinanceNormalizer(place, log)),
    },
    hasBestPrices: true,
  },
  {
    name: 'bybit',
    formats: [lineReader(bybitLines), lineReader(bybitStreamLines)],
    parseName: bybitName,
    live: {
      ...playedBybit,
      socketPath: '/v5/public/linear',
      publicUrls: { variable: 'BYBIT', wsUrl: 'wss://stream.bybit.com/v5/public/linear', restUrl: 'https://api.bybit.com' },
      listing: bybitListing('linear'),
      messages: liveVenue(bybitStreamLines, numbered),
    },
  },
  {
    name: 'bybit-inverse',
    formats: [lineReader(bybitInverseStreamLines)],
    parseName: bybitInverseName,
    live: {
      ...playedBybit,
      socketPath: '/v5/public/inverse',
      publicUrls: { variable: 'BYBIT_INVERSE', wsUrl: 'wss://stream.bybit.com/v5/public/inverse', restUrl: 'https://api.bybit.com' },
      listing: bybitListing('inverse'),
      messages: liveVenue(bybitInverseStreamLines, numbered),
    },
    unitOf: () => 'inverse',
  },
  {
    name: 'okx',
    formats: [lineReader(okxStreamLines)],
    parseName: okxName,
    live: {
      feed: 'okx',
      rows: okx,
      publicUrls: { variable: 'OKX', wsUrl: 'wss://ws.okx.com:8443', restUrl: 'https://www.okx.com' },
      socketPath: '',
      messages: liveVenue(okxStreamLines, numbered),
      expected: okxMessages,
      answers: okxAnswers,
      connectionMax: 100,
      listing: okxListing,
      limits: { channels: ALL, bookStalenessMs: 90_000, closingLagMs: 1_000 },
    },
    unitOf: okxUnit,
  },
  {
    name: 'kraken',
    formats: [lineReader(krakenStreamLines)],
    parseName: krakenName,
    live: {
      feed: 'kraken',
      rows: kraken,
      publicUrls: { variable: 'KRAKEN', wsUrl: 'wss://futures.kraken.com/ws/v1', restUrl: 'https://futures.kraken.com' },
      socketPath: '/ws/v1',
      messages: liveVenue(krakenStreamLines, numbered),
      expected: krakenMessages,
      answers: krakenAnswers,
      connectionMax: 100,
      listing: krakenListing,
      limits: { channels: ALL, bookStalenessMs: 60_000, closingLagMs: 1_000 },
    },
    unitOf: krakenUnit,
  },
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

/** Address of the variable, else the public one; '' if there is neither. */
export function restAddressOf(name: string, variables: Readonly<Record<string, string | undefined>>): string {
  const venue = venueOf(name);
  const given = variables[(venue && addressVariables(venue)?.rest) ?? ''];
  return given || (venue?.live?.publicUrls?.restUrl ?? '');
}

/** Undefined without public addresses. */
export function addressVariables({ live }: Venue): { readonly ws: string; readonly rest: string } | undefined {
  const variable = live?.publicUrls?.variable;
  return variable === undefined ? undefined : { ws: `${variable}_WS_URL`, rest: `${variable}_REST_URL` };
}
