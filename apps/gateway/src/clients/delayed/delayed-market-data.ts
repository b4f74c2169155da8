import type { marketData } from '@market-state/contracts';
import type { ClientCalls } from '@market-state/grpc';
import { decodeEvent } from '@market-state/market-data';
import type { MarketDataClient } from '../market-data-client';
import { onlyCalls } from './delay';
import { freshnessAsOf } from './delayed-freshness';
import { bookAsOf, contextAsOf, liquidationsAsOf, tradesAsOf } from './delayed-latest-rows';
import { cutWindow, refuseYoungStart } from './cut-window';
import { readPinnedToken, writePinnedToken } from './pinned-token';

type Calls = ClientCalls<marketData.MarketDataServiceService>;

function earlier(askedMs: number, newestMs: number): number {
  return askedMs === 0 ? newestMs : Math.min(askedMs, newestMs);
}

/** The end of the last candle that had ended. */
function wholeCandles(newestMs: number, intervalMs: number): number {
  return newestMs - (newestMs % intervalMs);
}

/**
 * The data plane as a sandbox key sees it: every read is as of the delayed clock at the latest. Calls that cannot be are refused.
 * @param clock the delayed clock, milliseconds since the epoch
 */
export function delayedMarketData(client: MarketDataClient, clock: () => number): MarketDataClient {
  const { call } = client;

  async function* readWindow(
    request: marketData.ReadWindowRequest,
    options?: Parameters<Calls['readWindow']>[1],
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
              completeness: window.told(end.completeness),
              nextPageToken: writePinnedToken({ asOfMs, pageToken: end.nextPageToken }),
            },
          };
    }
  }

  async function* streamReplay(
    request: marketData.StreamReplayRequest,
    options?: Parameters<Calls['streamReplay']>[1],
  ): AsyncGenerator<marketData.StreamReplayResponse> {
    const newestMs = clock();
    const asOfMs = earlier(request.asOfMs, newestMs);
    const window = cutWindow(request, asOfMs);
    const further = request.further.map((each) => ({ ...each, asOfMs: earlier(each.asOfMs, newestMs) }));
    for await (const { frame } of call.streamReplay({ ...request, ...window.bounds, asOfMs, further }, options)) {
      if (frame?.$case === 'heartbeat')
        yield { frame: { $case: 'heartbeat', value: { feedClockMs: Math.min(frame.value.feedClockMs, clock()) } } };
      else if (frame?.$case === 'receipt') yield { frame: { $case: 'receipt', value: window.told(frame.value) ?? frame.value } };
      else yield { frame };
    }
  }

  /** Entries stand in the order in which they were received: from the first that is too young on, all are. */
  async function* streamLogEntries(
    request: marketData.StreamLogEntriesRequest,
    options?: Parameters<Calls['streamLogEntries']>[1],
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

  const calls: Partial<Calls> = {
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
  return { call: onlyCalls<Calls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}
