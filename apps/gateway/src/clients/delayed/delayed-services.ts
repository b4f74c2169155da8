import { marketData, type labeling } from '@market-state/contracts';
import { notFound, failedPrecondition, invalidArgument } from '@market-state/errors';
import type { ClientCalls } from '@market-state/grpc';
import {
  decodeEvent,
  addDecimals,
  compareDecimals,
  multiplyDecimals,
  type ContextEvent,
  divideDecimals,
  fundingHoursOf,
} from '@market-state/market-data';
import { passedId, toProtoLiquidation, toProtoTrade } from '@market-state/live-market';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import type { MarketDataClient } from '../market-data-client';
import type { PacketClient } from '../packet-client';
import { freshnessAsOf, lastRows, recordedRows } from './recorded-rows';
import type { AnyHandler } from '../../serving/answers/handler';
import { InvalidRequest, Problem } from '../../serving/errors/problem';
import { parseInstant } from '../../serving/meta/meta';

type DataCalls = ClientCalls<marketData.MarketDataServiceService>;

function earlier(requestedAtMs: number, newestMs: number): number {
  return requestedAtMs === 0 ? newestMs : Math.min(requestedAtMs, newestMs);
}

/** End of the last complete candle. */
function wholeCandles(newestMs: number, intervalMs: number): number {
  return newestMs - (newestMs % intervalMs);
}

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
async function bookAsOf(
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
async function tradesAsOf(
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
async function contextAsOf(
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

async function liquidationsAsOf(
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

/** Minimum age of data for sandbox keys. */
const SANDBOX_DELAY_MS = 600_000;

export function delayedClock(now: () => number): () => number {
  return () => now() - SANDBOX_DELAY_MS;
}

export function notForSandbox(): Problem {
  return new Problem('sandbox_refused', 'Sandbox keys cannot call this route: their data is delayed by 600 s. Use a live key.');
}

/** Refuses all calls that are not listed, so that a new call cannot leak undelayed data. */
function onlyCalls<T extends object>(calls: Partial<T>): T {
  return new Proxy(calls, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      return () => {
        throw notForSandbox();
      };
    },
  }) as T;
}

const TOKEN = z.tuple([z.literal('s1'), z.int().min(0), z.string()]);

/** All pages of a read use the same instant. */
interface PinnedPage {
  readonly asOfMs: number;
  readonly pageToken: string;
}

/** Empty on the last page. */
function writePinnedToken({ asOfMs, pageToken }: PinnedPage): string {
  return pageToken === '' ? '' : writeToken(['s1', asOfMs, pageToken]);
}

/**
 * An empty token means the first page, as of `newestMs`. The result is never later than `newestMs`.
 * @throws ServiceError INVALID_ARGUMENT if the token is malformed
 */
function readPinnedToken(token: string, newestMs: number): PinnedPage {
  if (token === '') return { asOfMs: newestMs, pageToken: '' };
  const values = readToken(TOKEN, token);
  if (values === undefined)
    throw invalidArgument([{ field: 'page_token', message: 'is not a page token from an earlier response', type: 'malformed' }]);
  const [, asOfMs, pageToken] = values;
  return { asOfMs: Math.min(asOfMs, newestMs), pageToken };
}

function pinnedPage({ asOfMs, pageToken }: PinnedPage, clock: () => number): PinnedPage {
  return readPinnedToken(pageToken, earlier(asOfMs, clock()));
}

/** Pins all pages to the instant of the first. */
async function readPinned<Q extends PinnedPage, A extends { readonly nextPageToken: string }>(
  request: Q,
  clock: () => number,
  read: (request: Q) => Promise<A>,
): Promise<A> {
  const pinned = pinnedPage(request, clock);
  const answer = await read({ ...request, ...pinned });
  return { ...answer, nextPageToken: writePinnedToken({ ...pinned, pageToken: answer.nextPageToken }) };
}

const NOT_FINISHED = 'window_not_finished';

/** Venue clocks may run ahead of receive time, so rows past the cut can exist. */
interface CutWindow {
  readonly bounds: { readonly startMs: number; readonly endMs: number };
  /** Receipt for the requested window, marked unfinished if it was cut. */
  completenessOf(receipt: marketData.Completeness | undefined): marketData.Completeness | undefined;
}

/** @throws InvalidRequest if the window is empty; `name` is the query parameter */
function refuseYoungStart(name: 'from' | 'start', startMs: number, endMs: number): void {
  if (startMs < endMs) return;
  throw new InvalidRequest([{ loc: ['query', name], msg: 'must be more than 600 s ago for a sandbox key', type: 'delayed' }]);
}

/** For reads of what lies in a span: the flat price of sandbox keys would charge an empty answer as a full one. */
export function refuseYoungSpans(clock: () => number): (handler: AnyHandler) => AnyHandler {
  return (handler) => (call) => {
    const fromMs = parseInstant(String(call.input.query['from'] ?? ''));
    if (fromMs !== null) refuseYoungStart('from', fromMs, clock());
    return handler(call);
  };
}

function cutWindow({ startMs, endMs }: CutWindow['bounds'], asOfMs: number): CutWindow {
  refuseYoungStart('start', startMs, Math.min(endMs, asOfMs));
  if (endMs <= asOfMs) return { bounds: { startMs, endMs }, completenessOf: (receipt) => receipt };
  return {
    bounds: { startMs, endMs: asOfMs },
    completenessOf: (receipt) =>
      receipt === undefined
        ? undefined
        : { ...receipt, complete: false, reasons: [...receipt.reasons.filter((reason) => reason !== NOT_FINISHED), NOT_FINISHED] },
  };
}

/**
 * As of the delayed clock at the latest; calls that cannot be delayed are refused.
 * @param clock milliseconds since the epoch
 */
export function delayedMarketData(client: MarketDataClient, clock: () => number): MarketDataClient {
  const { call } = client;

  async function* readWindow(
    request: marketData.ReadWindowRequest,
    options?: Parameters<DataCalls['readWindow']>[1],
  ): AsyncGenerator<marketData.ReadWindowResponse> {
    const { asOfMs, pageToken } = pinnedPage(request, clock);
    const window = cutWindow(request, asOfMs);
    for await (const message of call.readWindow({ ...request, ...window.bounds, pageToken, asOfMs }, options)) {
      const { end } = message;
      yield end === undefined
        ? message
        : {
            ...message,
            end: {
              ...end,
              completeness: window.completenessOf(end.completeness),
              nextPageToken: writePinnedToken({ asOfMs, pageToken: end.nextPageToken }),
            },
          };
    }
  }

  async function* streamReplay(
    request: marketData.StreamReplayRequest,
    options?: Parameters<DataCalls['streamReplay']>[1],
  ): AsyncGenerator<marketData.StreamReplayResponse> {
    const newestMs = clock();
    const asOfMs = earlier(request.asOfMs, newestMs);
    const window = cutWindow(request, asOfMs);
    const further = request.further.map((each) => ({ ...each, asOfMs: earlier(each.asOfMs, newestMs) }));
    for await (const { frame } of call.streamReplay({ ...request, ...window.bounds, asOfMs, further }, options)) {
      if (frame?.$case === 'heartbeat')
        yield { frame: { $case: 'heartbeat', value: { feedClockMs: Math.min(frame.value.feedClockMs, clock()) } } };
      else if (frame?.$case === 'receipt') yield { frame: { $case: 'receipt', value: window.completenessOf(frame.value) ?? frame.value } };
      else yield { frame };
    }
  }

  /** Ordered by receive time: the first entry that is too recent ends the stream. */
  async function* streamLogEntries(
    request: marketData.StreamLogEntriesRequest,
    options?: Parameters<DataCalls['streamLogEntries']>[1],
  ): AsyncGenerator<marketData.StreamLogEntriesResponse> {
    for await (const message of call.streamLogEntries(request, options)) {
      const newest = message.entries.at(-1);
      if (newest === undefined || decodeEvent(newest).receivedTsMs <= clock()) {
        yield message;
        continue;
      }
      yield { ...message, entries: message.entries.filter((entry) => decodeEvent(entry).receivedTsMs <= clock()) };
      return;
    }
  }

  const calls: Partial<DataCalls> = {
    listInstruments: call.listInstruments,
    getRights: call.getRights,
    getCatalog: ({ asOfMs }, options) => call.getCatalog({ asOfMs: earlier(asOfMs, clock()) }, options),
    getFreshness: ({ symbol }) => freshnessAsOf(client, symbol, clock()),
    getBook: (request) => bookAsOf(client, request, clock()),
    listTrades: (request) => tradesAsOf(client, request, clock()),
    getActiveAsset: (request) => contextAsOf(client, request, clock()),
    getLiquidations: (request) => liquidationsAsOf(client, request, clock()),
    async listCandles(request, options) {
      const { asOfMs: newestMs, pageToken } = readPinnedToken(request.pageToken, clock());
      const asOfMs = earlier(request.asOfMs, newestMs);
      const toMs = earlier(request.toMs, wholeCandles(newestMs, request.intervalMs));
      refuseYoungStart('from', request.fromMs, toMs);
      const answer = await call.listCandles({ ...request, pageToken, asOfMs, toMs }, options);
      return { ...answer, nextPageToken: writePinnedToken({ asOfMs, pageToken: answer.nextPageToken }) };
    },
    listGaps: (request, options) => readPinned(request, clock, (page) => call.listGaps(page, options)),
    getAccuracy: (request, options) => call.getAccuracy({ ...request, asOfMs: earlier(request.asOfMs, clock()) }, options),
    listChannelDays: (request, options) => call.listChannelDays({ ...request, asOfMs: earlier(request.asOfMs, clock()) }, options),
    getSourceRows: (request, options) => call.getSourceRows({ ...request, asOfMs: earlier(request.asOfMs, clock()) }, options),
    readWindow,
    streamLogEntries,
    streamReplay,
  };
  return { call: onlyCalls<DataCalls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}

type PacketCalls = ClientCalls<labeling.LabelingServiceService>;

/**
 * Only packets known by the delayed clock.
 * @param clock milliseconds since the epoch
 */
export function delayedPackets(client: PacketClient, clock: () => number): PacketClient {
  const { call } = client;
  const knownBy = (requestedAtMs: number): number => earlier(requestedAtMs, clock());

  const calls: Partial<PacketCalls> = {
    listPackets: (request, options) => readPinned(request, clock, (page) => call.listPackets(page, options)),
    listNeighbours: (request, options) => call.listNeighbours({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    searchEvents: (request, options) => readPinned(request, clock, (page) => call.searchEvents(page, options)),
    listHistory: (request, options) => readPinned(request, clock, (page) => call.listHistory(page, options)),
    getStability: (request, options) => call.getStability({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    verifyEvent: (request, options) => call.verifyEvent({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    getPacketArchive: ({ symbol, toWindowEndMs }, options) =>
      call.getPacketArchive({ symbol, toWindowEndMs: knownBy(toWindowEndMs) }, options),
    listHeldPackets: ({ asOfMs }, options) => call.listHeldPackets({ asOfMs: knownBy(asOfMs) }, options),
    listCheckpoints: (request, options) => call.listCheckpoints({ ...request, toWindowEndMs: knownBy(request.toWindowEndMs) }, options),
    getCheckpoint(request, options) {
      if (request.windowEndMs > clock()) throw notFound('checkpoint_not_found', 'No checkpoint is that old.');
      return call.getCheckpoint(request, options);
    },
    listSigningKeys: call.listSigningKeys,
    getLatestPacket: ({ symbol, asOfMs }, options) => call.getLatestPacket({ symbol, asOfMs: knownBy(asOfMs) }, options),
    getPacket: ({ eventId, asOfMs }, options) => call.getPacket({ eventId, asOfMs: knownBy(asOfMs) }, options),
  };
  return { call: onlyCalls<PacketCalls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}
