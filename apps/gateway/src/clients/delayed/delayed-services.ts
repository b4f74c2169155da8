import type { marketData } from '@market-state/contracts';
import { type labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { ClientCalls } from '@market-state/grpc';
import { decodeEvent } from '@market-state/market-data';
import type { MarketDataClient } from '../market-data-client';
import type { PacketClient } from '../packet-client';
import { cutWindow, onlyCalls, readPinnedToken, refuseYoungStart, writePinnedToken } from './delay';
import { freshnessAsOf } from './recorded-rows';
import { bookAsOf, tradesAsOf, contextAsOf, liquidationsAsOf } from './delayed-latest-rows';

type DataCalls = ClientCalls<marketData.MarketDataServiceService>;

function earlier(requestedAtMs: number, newestMs: number): number {
  return requestedAtMs === 0 ? newestMs : Math.min(requestedAtMs, newestMs);
}

/** End of the last complete candle. */
function wholeCandles(newestMs: number, intervalMs: number): number {
  return newestMs - (newestMs % intervalMs);
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
    const { asOfMs: newestMs, pageToken } = readPinnedToken(request.pageToken, clock());
    const asOfMs = earlier(request.asOfMs, newestMs);
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
    async listGaps(request, options) {
      const { asOfMs: newestMs, pageToken } = readPinnedToken(request.pageToken, clock());
      const asOfMs = earlier(request.asOfMs, newestMs);
      const answer = await call.listGaps({ ...request, pageToken, asOfMs }, options);
      return { ...answer, nextPageToken: writePinnedToken({ asOfMs, pageToken: answer.nextPageToken }) };
    },
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
  const knownBy = (requestedAtMs: number): number => (requestedAtMs === 0 ? clock() : Math.min(requestedAtMs, clock()));

  /** Pins all pages to the instant of the first. */
  async function pageOf<Q extends { readonly asOfMs: number; readonly pageToken: string }, A extends { readonly nextPageToken: string }>(
    request: Q,
    read: (request: Q) => Promise<A>,
  ): Promise<A> {
    const pinned = readPinnedToken(request.pageToken, knownBy(request.asOfMs));
    const answer = await read({ ...request, ...pinned });
    return { ...answer, nextPageToken: writePinnedToken({ asOfMs: pinned.asOfMs, pageToken: answer.nextPageToken }) };
  }

  const calls: Partial<PacketCalls> = {
    listPackets: (request, options) => pageOf(request, (page) => call.listPackets(page, options)),
    listNeighbours: (request, options) => call.listNeighbours({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    searchEvents: (request, options) => pageOf(request, (page) => call.searchEvents(page, options)),
    listHistory: (request, options) => pageOf(request, (page) => call.listHistory(page, options)),
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
