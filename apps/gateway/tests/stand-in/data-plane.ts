import { marketData } from '@market-state/contracts';
import { invalidArgument, ServiceError, unavailable, unknownSymbol } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { readMarket } from '@market-state/market-data';
import { testServing } from '@market-state/testing';
import { createFollowedMarkets, type FollowedMarkets } from './followed-markets';
import { logEntries, type LogState } from './log-entries';
import { storedMarket } from './stored-market';
import { createRowLog, type RowLog } from './row-log';

export interface StandInDataPlane {
  readonly address: string;
  setDown(component: string, down: boolean): void;
  /** Makes every call except the health call hang until its deadline. */
  setHanging(hanging: boolean): void;
  /** Retention state of the log that packets were made from. */
  setLog(state: LogState): void;
  waitingTotal(): number;
  /** Its streams of rows. */
  readonly rows: RowLog;
  /** Markets that can be followed; other symbols answer as usual, with an endless stream. */
  readonly markets: FollowedMarkets;
  requestIds(): readonly string[];
  close(): Promise<void>;
}

/** Cursor of the second page of candles. */
export const MORE_CANDLES = Buffer.from('["c1","more"]').toString('base64url');

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
/** Symbol of a simulated venue, which reports every channel; the others report book and trades. */
export const SIMULATED_SYMBOL = 'SIMUSD-PERP';

const RECORDED_CHANNELS = [marketData.Channel.BOOK, marketData.Channel.TRADE];
const ALL_CHANNELS = [...RECORDED_CHANNELS, marketData.Channel.CONTEXT, marketData.Channel.LIQUIDATION];

const STALENESS_MS = new Map([
  [marketData.Channel.CONTEXT, 120_000],
  [marketData.Channel.LIQUIDATION, 0],
]);

function channelsOf(symbol: string): readonly marketData.Channel[] {
  return symbol === SIMULATED_SYMBOL ? ALL_CHANNELS : RECORDED_CHANNELS;
}

function sourceOf(symbol: string): { venue: string; sourceKind: marketData.SourceKind } {
  if (symbol === SIMULATED_SYMBOL) return { venue: 'simulated', sourceKind: marketData.SourceKind.SIMULATED };
  return { venue: readMarket(symbol).venue ?? 'binance-coinm', sourceKind: marketData.SourceKind.RECORDED };
}

/** The gateway does not call this method. */
function notServed(): never {
  throw new ServiceError({ code: 'UNIMPLEMENTED', reason: 'unimplemented', sentence: 'This stand-in has no such method.' });
}

const PARTS = ['event_log', 'feed', 'postgres', 'recorder'];

export async function startStandInDataPlane(symbols: readonly string[], address = '127.0.0.1:0'): Promise<StandInDataPlane> {
  const down = new Set<string>();
  let changed = new AbortController();
  const rows = createRowLog(symbols);
  const markets = createFollowedMarkets();
  const requestIds: string[] = [];
  let log: LogState = 'whole';
  let hanging = false;
  let waiting = 0;

  async function hang(signal: AbortSignal): Promise<void> {
    waiting += 1;
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))).finally(() => (waiting -= 1));
  }

  async function enter(
    symbol: string,
    context: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<{ symbol: string; venue: string; sourceKind: marketData.SourceKind }> {
    requestIds.push(context.requestId);
    if (hanging) await hang(context.signal);
    if (down.has('feed')) throw unavailable('upstream_unavailable', 'The feed cannot be reached.');
    if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
    return { symbol, ...sourceOf(symbol) };
  }

  function health(components: readonly string[]): marketData.ComponentHealth[] {
    return components.map((component) => ({
      component,
      healthy: !down.has(component),
      latencyMs: 0.4,
      detail: down.has(component) ? 'It does not answer.' : '',
    }));
  }

  const service = bindService(marketData.MarketDataServiceService, {
    async listInstruments() {
      return {
        instruments: symbols.map((symbol) => ({
          symbol,
          ...sourceOf(symbol),
          venueInstrument: symbol,
          contractValue: '100',
          channels: [...channelsOf(symbol)],
        })),
      };
    },
    async getBook({ symbol, depth }, context) {
      const source = await enter(symbol, context);
      const live = markets.reads.book({ symbol, depth });
      if (live !== null) return live;
      const side = (step: number) =>
        Array.from({ length: Math.min(depth, 40) }, (_level, index) => ({
          price: `${100 + step * (index + 1)}`,
          size: '0.5',
          venueSize: '50',
        }));
      return {
        ...source,
        bids: side(-1),
        asks: side(1),
        sequence: '1:42',
        pass: 1,
        venueId: '42',
        exchangeTsMs: T0,
        receivedTsMs: T0 + 40,
        freshnessMs: 120,
        stalenessLimitMs: 5_000,
        origin: marketData.BookOrigin.FEED,
        sync: marketData.BookSync.IN_SYNC,
      };
    },
    async listTrades({ symbol, limit }, context) {
      const source = await enter(symbol, context);
      const live = markets.reads.trades({ symbol, limit });
      if (live !== null) return live;
      const trades = Array.from({ length: Math.min(limit, 3) }, (_trade, index) => ({
        tradeId: `1:${100 - index}`,
        price: '100.5',
        size: '0.25',
        venueSize: '25',
        aggressorSide: index % 2 === 0 ? marketData.AggressorSide.BUY : marketData.AggressorSide.SELL,
        exchangeTsMs: T0 - index * 1_000,
        // The venue's clock is ahead for the newest.
        receivedTsMs: index === 0 ? T0 - 15 : T0 - index * 1_000 + 40,
        pass: 1,
        venueId: String(100 - index),
      }));
      return { ...source, trades, freshnessMs: 500, stalenessLimitMs: 60_000 };
    },
    async listCandles({ symbol, fromMs, toMs, intervalMs, pageToken, asOfMs: requestedAtMs }, context) {
      const source = await enter(symbol, context);
      if (pageToken !== '' && pageToken !== MORE_CANDLES)
        throw invalidArgument([{ field: 'page_token', message: 'does not come from an answer for this symbol', type: 'malformed' }]);
      const asOfMs = Math.min(requestedAtMs, T0 + 120);
      if (toMs !== 0 && toMs <= T0 - 86_000_000) return { ...source, candles: [], nextPageToken: '', asOfMs };
      const openTsMs = fromMs === 0 ? T0 : fromMs;
      const base = { openTsMs, closeTsMs: openTsMs + intervalMs, complete: true, gap: false, lastReceivedTsMs: 0 };
      const traded = {
        ...base,
        open: '1',
        high: '2',
        low: '0.5',
        close: '1.5',
        volume: '3',
        notional: '4.5',
        tradeTotal: 7,
        lastReceivedTsMs: openTsMs + 900,
      };
      const quiet = {
        ...base,
        openTsMs: base.closeTsMs,
        closeTsMs: toMs === 0 ? base.closeTsMs + intervalMs : toMs,
        open: '',
        high: '',
        low: '',
        close: '',
        volume: '0',
        notional: '0',
        tradeTotal: 0,
      };
      return { ...source, candles: [traded, quiet], nextPageToken: pageToken === '' ? MORE_CANDLES : '', asOfMs };
    },
    async getFreshness({ symbol }, context) {
      const source = await enter(symbol, context);
      const live = markets.reads.freshness({ symbol });
      if (live !== null) return live;
      const seen = {
        lastExchangeTsMs: T0,
        lastReceivedTsMs: T0 + 40,
        freshnessMs: 120,
        state: marketData.FreshnessState.FRESH,
        gapTotal24h: 1,
        seamTotal24h: 2,
        reported: true,
      };
      const missing = {
        lastExchangeTsMs: 0,
        lastReceivedTsMs: 0,
        freshnessMs: 0,
        state: marketData.FreshnessState.MISSING,
        gapTotal24h: 0,
        seamTotal24h: 0,
        reported: false,
      };
      const channels = ALL_CHANNELS.map((channel) => ({
        channel,
        ...(channelsOf(symbol).includes(channel) ? seen : missing),
        stalenessLimitMs: STALENESS_MS.get(channel) ?? 5_000,
      }));
      return { ...source, channels, feedClockMs: T0 + 120 };
    },
    async getDataHealth() {
      return { components: health([...PARTS, ...symbols.map((symbol) => `feed:${symbol}`)]) };
    },
    ...storedMarket({ symbols, enter, markets, reports: (symbol, channel) => channelsOf(symbol).includes(channel) }),
    async *streamLogEntries(request, context) {
      await enter(request.symbol, context);
      yield* logEntries(request, log);
    },
    streamRows: rows.streamRows,
    followMarket: ({ symbol }, { signal }) => markets.follow(symbol, signal),
    streamReplay: rows.streamReplay,
    planSpan: notServed,
    streamStoredRows: notServed,
    async *watchDataHealth(_request, { signal }) {
      while (!signal.aborted) {
        const heard = AbortSignal.any([signal, changed.signal]);
        yield { components: health(PARTS), filling: [], imported: [] };
        await delay(1_000, heard).catch(() => undefined);
      }
    },
  });
  const server: GrpcServer = await startGrpcServer({
    ...testServing('data-plane'),
    address,
    services: [service],
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  return {
    address: server.address,
    rows,
    markets,
    setDown(component, isDown) {
      if (isDown) down.add(component);
      else down.delete(component);
      changed.abort();
      changed = new AbortController();
    },
    setLog(next) {
      log = next;
    },
    setHanging(next) {
      hanging = next;
    },
    waitingTotal: () => waiting,
    requestIds: () => requestIds,
    close: () => server.close(),
  };
}
