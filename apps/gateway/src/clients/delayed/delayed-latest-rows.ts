import { marketData } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { passedId, toProtoLiquidation, toProtoTrade } from '@market-state/live-market';
import {
  addDecimals,
  compareDecimals,
  multiplyDecimals,
  type ContextEvent,
  divideDecimals,
  fundingHoursOf,
} from '@market-state/market-data';
import type { MarketDataClient } from '../market-data-client';
import { lastRows, recordedRows } from './recorded-rows';

type Value = marketData.ContextValue;

const BASIS_DECIMALS = 4;

function newestOf(events: readonly ContextEvent[], field: (event: ContextEvent) => string | undefined): Value | undefined {
  for (const event of events.toReversed()) {
    const value = field(event);
    if (value !== undefined) return { value, asOfMs: event.exchangeTsMs };
  }
  return undefined;
}

function combined(a: Value | undefined, b: Value | undefined, compute: (a: string, b: string) => string): Value | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { value: compute(a.value, b.value), asOfMs: Math.min(a.asOfMs, b.asOfMs) };
}

/** (mark / oracle - 1) × 10,000. */
function basisBps(mark: string, oracle: string): string {
  return divideDecimals(multiplyDecimals(addDecimals(mark, `-${oracle}`), '10000'), oracle, BASIS_DECIMALS);
}

/** `events` are in log order. */
function contextValues(events: readonly ContextEvent[]) {
  const funding = (event: ContextEvent) => event.venueFundingRate ?? event.fundingRate;
  const openInterest = newestOf(events, (event) => event.openInterest);
  const markPrice = newestOf(events, (event) => event.markPrice);
  const oraclePrice = newestOf(events, (event) => event.oraclePrice);
  const lastFunding = events.findLast((event) => funding(event) !== undefined);
  return {
    fundingRate: newestOf(events, funding),
    fundingIntervalHours: (lastFunding && fundingHoursOf(lastFunding)) ?? 0,
    openInterest,
    openInterestUsd: combined(openInterest, markPrice, multiplyDecimals),
    markPrice,
    oraclePrice,
    basisBps: combined(markPrice, oraclePrice, basisBps),
    dayVolumeUsd: newestOf(events, (event) => event.dayVolume),
  };
}

const CONTEXT_REACH_MS = 3_600_000;
const LIQUIDATIONS_MAX = 1_000;

interface ChannelOfSymbol {
  readonly instrument: { readonly symbol: string; readonly venue: string; readonly sourceKind: marketData.SourceKind };
  readonly reported: boolean;
  readonly stalenessLimitMs: number;
}

/** Facts that do not depend on the instant. Throws `unknown_symbol`. */
async function readChannel(client: MarketDataClient, symbol: string, channel: marketData.Channel): Promise<ChannelOfSymbol> {
  const { venue, sourceKind, channels } = await client.call.getFreshness({ symbol });
  const found = channels.find((candidate) => candidate.channel === channel);
  return { instrument: { symbol, venue, sourceKind }, reported: found?.reported ?? false, stalenessLimitMs: found?.stalenessLimitMs ?? 0 };
}

/** Up to 25 levels per side. */
export async function bookAsOf(
  client: MarketDataClient,
  { symbol, depth }: marketData.GetBookRequest,
  asOfMs: number,
): Promise<marketData.GetBookResponse> {
  const { instrument, stalenessLimitMs } = await readChannel(client, symbol, marketData.Channel.BOOK);
  const [book] = await lastRows(client, symbol, 'book', asOfMs, 1);
  if (book === undefined) throw failedPrecondition('book_not_available', `No book of ${symbol} was recorded in the preceding hour.`);
  const levels = (side: typeof book.bids) => side.slice(0, depth).map(({ price, size, venueSize = '' }) => ({ price, size, venueSize }));
  return {
    ...instrument,
    bids: levels(book.bids),
    asks: levels(book.asks),
    sequence: passedId(book.pass, book.venueId),
    pass: book.pass,
    venueId: book.venueId,
    exchangeTsMs: book.exchangeTsMs,
    receivedTsMs: book.receivedTsMs,
    freshnessMs: Math.max(0, asOfMs - book.exchangeTsMs),
    stalenessLimitMs,
    origin: marketData.BookOrigin.UNSPECIFIED,
    sync: marketData.BookSync.UNSPECIFIED,
  };
}

/** Newest first, from the preceding hour at most. */
export async function tradesAsOf(
  client: MarketDataClient,
  { symbol, limit }: marketData.ListTradesRequest,
  asOfMs: number,
): Promise<marketData.ListTradesResponse> {
  const { instrument, reported, stalenessLimitMs } = await readChannel(client, symbol, marketData.Channel.TRADE);
  const trades = reported ? await lastRows(client, symbol, 'trade', asOfMs, limit) : [];
  const newest = trades.at(-1);
  return {
    ...instrument,
    trades: trades.map(toProtoTrade).reverse(),
    freshnessMs: newest === undefined ? 0 : Math.max(0, asOfMs - newest.exchangeTsMs),
    stalenessLimitMs,
  };
}

/** From the preceding hour at most. */
export async function contextAsOf(
  client: MarketDataClient,
  { symbol }: marketData.GetActiveAssetRequest,
  asOfMs: number,
): Promise<marketData.GetActiveAssetResponse> {
  const { instrument, reported, stalenessLimitMs } = await readChannel(client, symbol, marketData.Channel.CONTEXT);
  const events = reported ? await recordedRows(client, symbol, 'context', asOfMs - CONTEXT_REACH_MS, asOfMs) : [];
  const newest = events.at(-1);
  return {
    ...instrument,
    reported,
    ...contextValues(events),
    feedClockMs: asOfMs,
    freshnessMs: newest === undefined ? 0 : Math.max(0, asOfMs - newest.receivedTsMs),
    stalenessLimitMs,
  };
}

export async function liquidationsAsOf(
  client: MarketDataClient,
  { symbol, windowSeconds }: marketData.GetLiquidationsRequest,
  asOfMs: number,
): Promise<marketData.GetLiquidationsResponse> {
  const { instrument, reported } = await readChannel(client, symbol, marketData.Channel.LIQUIDATION);
  const events = reported ? await recordedRows(client, symbol, 'liquidation', asOfMs - windowSeconds * 1_000, asOfMs) : [];
  const rows = events.map((event) => toProtoLiquidation({ event, notional: multiplyDecimals(event.price, event.size) })).reverse();
  const sumOf = (side: marketData.PositionSide) =>
    rows.filter(({ positionSide }) => positionSide === side).reduce((sum, { notional }) => addDecimals(sum, notional), '0');
  const [largest] = rows.toSorted((a, b) => compareDecimals(b.notional, a.notional));
  return {
    ...instrument,
    reported,
    feedClockMs: asOfMs,
    rows: rows.slice(0, LIQUIDATIONS_MAX),
    eventTotal: rows.length,
    longNotional: sumOf(marketData.PositionSide.LONG),
    shortNotional: sumOf(marketData.PositionSide.SHORT),
    largest,
  };
}
