import { marketData } from '@market-state/contracts';
import { type BookEvent, type Channel, CHANNELS, DAY_MS } from '@market-state/market-data';
import { passedId, toProtoLevel, toProtoChannel, toProtoTrade, toProtoSource } from './proto-names';
import type { ReadVenue } from './read-venue';
import type { BookSync, SymbolMarket } from './symbol-market';
import type { TimedValue } from './context-values';
import { ALL_CHANNELS, type GapTotals, SEAMS } from './gap-spans';
import type { Liquidation } from './liquidation-window';

export function readTrades(
  market: SymbolMarket,
  venue: ReadVenue,
  { limit }: Pick<marketData.ListTradesRequest, 'limit'>,
): marketData.ListTradesResponse {
  const trades = market.tape.newest(limit);
  const [newest] = trades;
  return {
    symbol: market.symbol,
    ...toProtoSource(venue),
    trades: trades.map(toProtoTrade),
    freshnessMs: newest === undefined ? 0 : market.clock.ageMs(newest.exchangeTsMs),
    stalenessLimitMs: venue.stalenessMs('trade'),
  };
}

const ROWS_MAX = 1_000;

/** Last seconds of feed time, at most 3,600. */
export function readLiquidations(
  market: SymbolMarket,
  venue: ReadVenue,
  { windowSeconds }: Pick<marketData.GetLiquidationsRequest, 'windowSeconds'>,
): marketData.GetLiquidationsResponse {
  const feedClockMs = market.clock.nowMs() ?? 0;
  const { liquidations, longNotional, shortNotional, largest } = market.liquidations.since(
    feedClockMs - windowSeconds * 1_000,
    venue.contractValue,
  );
  return {
    symbol: market.symbol,
    ...toProtoSource(venue),
    reported: venue.channels.includes('liquidation'),
    feedClockMs,
    rows: liquidations.slice(0, ROWS_MAX).map(toProtoLiquidation),
    eventTotal: liquidations.length,
    longNotional,
    shortNotional,
    largest: largest === undefined ? undefined : toProtoLiquidation(largest),
  };
}

export function toProtoLiquidation({ event, notional }: Liquidation): marketData.LiquidationRow {
  const { pass, venueId, ordinal, positionSide, price, size, provenance, exchangeTsMs } = event;
  return {
    liquidationId: venueId === '' ? `log:${ordinal}` : passedId(pass, venueId),
    positionSide: positionSide === 'long' ? marketData.PositionSide.LONG : marketData.PositionSide.SHORT,
    price,
    size,
    notional,
    provenance: provenance === 'proxy' ? marketData.LiquidationProvenance.PROXY : marketData.LiquidationProvenance.VENUE_REPORTED,
    exchangeTsMs,
    pass,
    venueId,
  };
}

const DATA_CHANNELS = CHANNELS.filter((channel) => channel !== 'control');

/** Last 24 h of the feed clock. */
export function dayUpToNow({ clock }: SymbolMarket): { readonly fromMs: number; readonly toMs: number } {
  const toMs = clock.nowMs() ?? 0;
  return { fromMs: toMs - DAY_MS, toMs };
}

/** Null if gap totals are unknown. */
export function readFreshness(market: SymbolMarket, venue: ReadVenue): marketData.GetFreshnessResponse | null {
  const { fromMs, toMs } = dayUpToNow(market);
  return market.gaps.isWhole ? freshnessWith(market, venue, market.gaps.totals(fromMs, toMs)) : null;
}

/** `readFreshness` with gap totals from elsewhere. */
export function freshnessWith(market: SymbolMarket, venue: ReadVenue, gaps: GapTotals): marketData.GetFreshnessResponse {
  return {
    symbol: market.symbol,
    ...toProtoSource(venue),
    channels: DATA_CHANNELS.map((channel) => freshnessOf(channel, market, venue, gaps)),
    feedClockMs: market.clock.nowMs() ?? 0,
  };
}

function freshnessOf(channel: Channel, market: SymbolMarket, venue: ReadVenue, gaps: GapTotals): marketData.ChannelFreshness {
  const last = market.lastSeen(channel);
  const isReported = venue.channels.includes(channel);
  const freshnessMs = last === undefined ? 0 : market.clock.ageMs(last.exchangeTsMs);
  const stalenessLimitMs = venue.stalenessMs(channel);
  const isStale = market.isDisconnected || (stalenessLimitMs > 0 && freshnessMs > stalenessLimitMs);
  return {
    channel: toProtoChannel(channel),
    lastExchangeTsMs: last?.exchangeTsMs ?? 0,
    lastReceivedTsMs: last?.receivedTsMs ?? 0,
    freshnessMs,
    stalenessLimitMs,
    state:
      !isReported || last === undefined
        ? marketData.FreshnessState.MISSING
        : isStale
          ? marketData.FreshnessState.STALE
          : marketData.FreshnessState.FRESH,
    gapTotal24h: (gaps.get(channel) ?? 0) + (gaps.get(ALL_CHANNELS) ?? 0),
    reported: isReported,
    seamTotal24h: gaps.get(SEAMS) ?? 0,
  };
}

export function readContext(market: SymbolMarket, venue: ReadVenue): marketData.GetActiveAssetResponse {
  const values = market.context.view();
  const last = market.lastSeen('context');
  return {
    symbol: market.symbol,
    ...toProtoSource(venue),
    reported: venue.channels.includes('context'),
    fundingRate: toProtoValue(values.fundingRate),
    fundingIntervalHours: values.fundingRate?.intervalHours ?? 0,
    openInterest: toProtoValue(values.openInterest),
    openInterestUsd: toProtoValue(values.openInterestUsd),
    markPrice: toProtoValue(values.markPrice),
    oraclePrice: toProtoValue(values.oraclePrice),
    basisBps: toProtoValue(values.basisBps),
    dayVolumeUsd: toProtoValue(values.dayVolume),
    feedClockMs: market.clock.nowMs() ?? 0,
    freshnessMs: last === undefined ? 0 : market.clock.ageMs(last.exchangeTsMs),
    stalenessLimitMs: venue.stalenessMs('context'),
  };
}

function toProtoValue(value: TimedValue | undefined): marketData.ContextValue {
  return { value: value?.value ?? '', asOfMs: value?.asOfMs ?? 0 };
}

const LOG_LEVELS = 25;

const SYNC_TO_PROTO: Readonly<Record<BookSync, marketData.BookSync>> = {
  in_sync: marketData.BookSync.IN_SYNC,
  resyncing: marketData.BookSync.RESYNCING,
  degraded: marketData.BookSync.DEGRADED,
};

/** Unspecified for an unknown word. */
export function toProtoSync(sync: string): marketData.BookSync {
  return Object.hasOwn(SYNC_TO_PROTO, sync) ? SYNC_TO_PROTO[sync as BookSync] : marketData.BookSync.UNSPECIFIED;
}

export function bookFacts(venue: ReadVenue) {
  return { ...toProtoSource(venue), stalenessLimitMs: venue.stalenessMs('book') };
}

/** Null if the log's book has too few levels or is not in sync. */
export function readBook(
  market: SymbolMarket,
  venue: ReadVenue,
  { depth }: Pick<marketData.GetBookRequest, 'depth'>,
): marketData.GetBookResponse | null {
  const { lastBook, bookSync } = market;
  if (lastBook === undefined || bookSync !== 'in_sync' || depth > LOG_LEVELS) return null;
  return bookOfLog(market, venue, { book: lastBook, depth, origin: marketData.BookOrigin.FEED });
}

export function bookOfLog(
  market: SymbolMarket,
  venue: ReadVenue,
  { book, depth, origin }: { readonly book: BookEvent; readonly depth: number; readonly origin: marketData.BookOrigin },
): marketData.GetBookResponse {
  return {
    ...bookFacts(venue),
    symbol: market.symbol,
    bids: book.bids.slice(0, depth).map(toProtoLevel),
    asks: book.asks.slice(0, depth).map(toProtoLevel),
    sequence: passedId(book.pass, book.venueId),
    pass: book.pass,
    venueId: book.venueId,
    exchangeTsMs: book.exchangeTsMs,
    receivedTsMs: book.receivedTsMs,
    freshnessMs: market.clock.ageMs(book.exchangeTsMs),
    origin,
    sync: toProtoSync(market.bookSync),
  };
}
