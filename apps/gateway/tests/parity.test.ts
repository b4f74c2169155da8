import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { account, marketData as contracts } from '@market-state/contracts';
import { unknownSymbol } from '@market-state/errors';
import { silentLogger } from '@market-state/logging';
import { limitsOf } from '@market-state/pricing';
import { createMetrics } from '@market-state/telemetry';
import fc from 'fast-check';
import { byOperationId } from '../src/serving/answers/handler';
import { createApp } from '../src/serving/serve-operation';
import type { Grant } from '../src/serving/auth/credentials';
import type { CredentialDirectory } from '../src/serving/auth/credential-directory';
import { createCandleLists, createGapLists, liveMarketData } from '../src/clients/live-market-data';
import type { MarketDataClient } from '../src/clients/market-data-client';
import type { Upstreams } from '../src/clients/upstreams';
import { fromProtoPacket } from '../src/clients/packet-client';
import { createLatestCache, latestChecks } from '../src/caches/latest/latest-cache';
import { createCallLoad } from '../src/serving/admission';
import { createMeter } from '../src/serving/metering/meter';
import { operationById } from '../src/serving/openapi/operations';
import { fastDataReads } from '../src/routes/data/fast-reads';
import { getActiveAssetContext } from '../src/routes/data/get-active-asset-context';
import { getBookL2Latest } from '../src/routes/data/get-book-l2-latest';
import { getDataFreshness } from '../src/routes/data/get-data-freshness';
import { getLiquidationsContext } from '../src/routes/data/get-liquidations-context';
import { listCandles } from '../src/routes/data/list-candles';
import { listGaps } from '../src/routes/data/list-gaps';
import { listLatestTrades } from '../src/routes/data/list-latest-trades';
import { fastFeatureQuality, fastReads } from '../src/routes/market-state/fast-reads';
import {
  getBuyerSummary,
  getCrowdingRegimeLatest,
  getForcedFlowLatest,
  getQueueFragilityLatest,
  createNewestViews,
} from '../src/routes/market-state/newest-views';
import { getFeatureQuality } from '../src/routes/market-state/get-feature-quality';
import { fastPath } from '../src/serving/fast-path';
import { createMarketNames } from '../src/serving/validation/market-names';
import { createRequestValidator } from '../src/serving/validation/request-validator';
import { http, type RawRequest } from './stand-in/http-client';
import { candlesOf, GAPS, plenty, QUALITY } from './stand-in/fast-path-facts';
import { drawnQueries, QUERIES, REQUESTS } from './stand-in/fast-path-queries';
import { liveMarket } from './stand-in/live-market';
import { packetRecord } from './stand-in/packet-record';

const LATEST = 'getLatest';
const ROWS = [
  'getBookL2Latest',
  'listLatestTrades',
  'getActiveAssetContext',
  'getLiquidationsContext',
  'getDataFreshness',
  'listGaps',
  'listCandles',
] as const;
const VIEWS = [
  'getForcedFlowLatest',
  'getCrowdingRegimeLatest',
  'getQueueFragilityLatest',
  'getBuyerSummary',
  'getFeatureQuality',
] as const;
/** Cases per property: PROPERTY_RUNS, or 30. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 30);
/** Each query with two varying kinds of request; every pair if PROPERTY_RUNS is large enough. */
const ASKED = QUERIES.flatMap((query, at) =>
  REQUESTS.filter((_request, way) => RUNS >= QUERIES.length * REQUESTS.length || [0, at].some((one) => one % REQUESTS.length === way)).map(
    (request) => ({ query, request }),
  ),
);
const GRANT: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read']),
  role: null,
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
  hasCeiling: false,
  ownRate: null,
  expiresMs: Number.POSITIVE_INFINITY,
};
const directory: CredentialDirectory = {
  remembered: ({ secret }) => (secret === 'good' ? GRANT : null),
  verify: async ({ secret }) => (secret === 'good' ? GRANT : null),
  generation: () => 0,
  isWatching: () => true,
  onChange: () => () => undefined,
  close: async () => undefined,
};

const refuse = (): never => {
  throw unknownSymbol('it', ['BTCUSD-PERP']);
};

const HEADROOM = ['RateLimit-Policy', '"plan";q=3000;w=60', 'RateLimit', '"plan";r=199;t=1'];

/** Charge without its unique parts. */
function saidOf({ requestId, caller, priced, status }: account.Charge): unknown {
  return { requestId, caller, priced, status };
}

describe('the fast path', () => {
  const operation = operationById(LATEST);
  const nowMs = Date.now();
  const latestCache = createLatestCache({
    operation,
    now: () => nowMs,
    checks: latestChecks(),
    onInvalid: () => undefined,
  });
  latestCache.setSymbols(['BTCUSD-PERP']);
  latestCache.push(fromProtoPacket(packetRecord('BTCUSD-PERP', Math.floor(nowMs / 10_000) * 10_000)));
  latestCache.setPushed(new Set(['BTCUSD-PERP']));
  const live = liveMarket('BTCUSD-PERP');
  const markets = {
    now: (symbol: string) => (symbol === live.market.symbol ? live : null),
    subscribe: () => undefined,
    close: async () => undefined,
  };
  const unary = {
    call: {
      ...{ getBook: refuse, listTrades: refuse, getActiveAsset: refuse, getLiquidations: refuse, getFreshness: refuse },
      async listGaps({ symbol }: { readonly symbol: string }) {
        return symbol === live.market.symbol ? GAPS : refuse();
      },
      async listCandles({ symbol, intervalMs }: contracts.ListCandlesRequest) {
        return symbol === live.market.symbol ? candlesOf(live.market, intervalMs) : refuse();
      },
    },
  } as unknown as MarketDataClient;
  const gapLists = createGapLists(unary, markets);
  const candleLists = createCandleLists(unary, markets);
  const marketData = liveMarketData(unary, { markets, gapLists, candleLists });
  const names = createMarketNames({ served: () => [], venues: async () => [] });
  const validator = createRequestValidator({ symbols: () => [], knownToMs: () => Date.now() }, names);

  /** Serves its reads with or without the fast path; `hits` counts what that answered. */
  async function serve(isFast: boolean) {
    const metrics = createMetrics('gateway');
    const charged: account.Charge[] = [];
    const meter = createMeter({ leases: plenty(charged), quoteSecret: 's'.repeat(32), metrics, symbolTotal: () => 1, now: () => nowMs });
    const limits = { admit: async () => HEADROOM, countStray: async () => undefined, admitNow: () => HEADROOM, refuseNow: () => null };
    const views = createNewestViews(() => nowMs);
    const fastRead = fastPath(
      [
        ...fastReads({ latestCache, views }),
        fastFeatureQuality({ latestCache, quality: QUALITY, markets, now: () => nowMs }),
        ...fastDataReads({ markets, gapLists, candleLists }),
      ],
      {
        directory,
        metrics,
        figures: { answered: () => undefined },
        logger: silentLogger(),
        limits,
        meter,
        names,
      },
    );
    const newest = {
      upstreams: { marketData } as unknown as Upstreams,
      latest: {
        newest: async (symbol: string) => {
          const packet = latestCache.packet(symbol);
          if (packet === undefined) throw unknownSymbol(symbol, ['BTCUSD-PERP']);
          return packet;
        },
      },
      views,
      now: () => nowMs,
    };
    let hits = 0;
    const { createServer } = createApp({
      directory,
      validator,
      logger: silentLogger(),
      metrics,
      figures: { answered: () => undefined },
      streams: { serve: async () => undefined },
      files: { serve: async () => undefined },
      idempotency: { begin: () => Promise.reject(new Error('reads take no key')) },
      limits,
      load: createCallLoad({ level: () => 0, directory, symbolTotal: () => 1, metrics }),
      meter,
      addressOf: () => '127.0.0.1',
      origins: () => new Set(),
      sandbox: (_operation, handler) => handler,
      handlers: byOperationId<typeof LATEST | (typeof VIEWS)[number] | (typeof ROWS)[number]>({
        getBookL2Latest: getBookL2Latest({ marketData }),
        listLatestTrades: listLatestTrades({ marketData }),
        getActiveAssetContext: getActiveAssetContext({ marketData }),
        getLiquidationsContext: getLiquidationsContext({ marketData }),
        getDataFreshness: getDataFreshness({ marketData }),
        listGaps: listGaps(marketData),
        listCandles: listCandles({ marketData }),
        getForcedFlowLatest: getForcedFlowLatest(newest),
        getCrowdingRegimeLatest: getCrowdingRegimeLatest(newest),
        getQueueFragilityLatest: getQueueFragilityLatest(newest),
        getBuyerSummary: getBuyerSummary(newest),
        getFeatureQuality: getFeatureQuality({ ...newest, quality: QUALITY }),
        getLatest: ({ input }) => {
          const response = latestCache.published(input.query.symbol, input.query.view);
          if (response === null) throw new Error('no packet');
          return { ...response.representation, observed: response.symbolTotal };
        },
      }),
      fastPath: (req, res) => {
        const isServed = isFast && fastRead(req, res);
        if (isServed) hits += 1;
        return isServed;
      },
      probes: new Map(),
    });
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      hits: () => hits,
      charged: () => charged.map(saidOf),
      close: () => server.close(),
    };
  }

  type Served = Awaited<ReturnType<typeof serve>>;
  let quick: Served;
  let full: Served;
  beforeAll(async () => {
    // A ledger page is cached after its first request.
    for (const pageSize of [100, 2])
      await gapLists.list({ symbol: live.market.symbol, fromMs: 0, toMs: 0, pageSize, pageToken: '', asOfMs: 0 });
    await candleLists.list({
      symbol: live.market.symbol,
      fromMs: 0,
      toMs: 0,
      pageSize: 1_000,
      pageToken: '',
      intervalMs: 60_000,
      asOfMs: 0,
    });
    quick = await serve(true);
    full = await serve(false);
  });
  afterAll(() => {
    quick.close();
    full.close();
    latestCache.close();
  });

  /** Receipt ids are unique, so only their form is compared. */
  const formOf = (receiptId: unknown): unknown => (/^rcp_[0-9a-z]{26}$/.test(String(receiptId)) ? 'a receipt' : receiptId);

  /** Sends a request both ways and compares the whole answers; returns the status. */
  async function compare(operationId: string, query: string, request: RawRequest): Promise<number> {
    const path = operationById(operationId).path + query;
    const sent = { ...request, headers: { 'x-market-state-api-key': 'good', 'x-request-id': 'same', ...request.headers } };
    const [a, b] = await Promise.all([http(quick.url + path, sent), http(full.url + path, sent)]);
    const comparable = ({ status, headers, bytes }: typeof a) => ({
      query,
      status,
      headers: { ...headers, date: undefined, 'x-receipt-id': formOf(headers['x-receipt-id']) },
      body: bytes.toString('latin1'),
    });
    expect(comparable(a)).toEqual(comparable(b));
    return a.status;
  }

  it.each([LATEST, ...VIEWS, ...ROWS])(
    'of %s lets through and refuses what the stock validator does, with the same status, headers and body',
    async (id) => {
      const [before, chargedBefore] = [quick.hits(), quick.charged().length];
      let served = 0;
      for (const { query, request } of ASKED) served += [200, 304].includes(await compare(id, query, request)) ? 1 : 0;
      expect(served).toBeGreaterThanOrEqual(5);
      expect(quick.hits() - before).toBe(served);
      expect(full.hits()).toBe(0);
      expect(quick.charged()).toEqual(full.charged());
      expect(quick.charged()).toHaveLength(chargedBefore + served);
    },
  );

  const seen = { good: 0, bad: 0 };
  it.each([LATEST, ...VIEWS, ...ROWS])('of %s accepts and rejects every query exactly as the stock validator does', async (id) => {
    const [before, goodBefore] = [quick.hits(), seen.good];
    await fc.assert(
      fc.asyncProperty(drawnQueries, async (query) => {
        const status = await compare(id, query, {});
        seen[status === 200 ? 'good' : 'bad'] += 1;
      }),
      { numRuns: RUNS },
    );
    expect(quick.hits() - before).toBeGreaterThanOrEqual(seen.good - goodBefore);
    expect(quick.charged()).toEqual(full.charged());
  });

  it('was asked good and bad queries alike', () => expect(Math.min(seen.good, seen.bad)).toBeGreaterThan((seen.good + seen.bad) / 20));
});
