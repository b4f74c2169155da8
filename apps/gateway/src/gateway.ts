import type { Server } from 'node:http';
import { ConfigError } from '@market-state/config';
import { METHOD_RULES } from '@market-state/contracts';
import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService, type Service } from '@market-state/service';
import type { Metrics } from '@market-state/telemetry';
import type { Express } from 'express';
import { createHistoryValidity, createPastAnswers, fastPastReads } from './caches/answers/past-answers';
import { ALL_SYMBOLS } from './caches/latest/latest-cache';
import { openLatest } from './caches/latest/latest-source';
import { servedSymbols } from './clients/market-data-client';
import { createCandleLists, createGapLists, createLiveMarkets, liveMarketData } from './clients/live-market-data';
import { openUpstreams, type Upstreams } from './clients/upstreams';
import type { AddressRate, GatewayConfig } from './config';
import { createHandlers } from './handlers';
import { servedRoutes } from './release/release-parts';
import { createRunningRelease } from './release/running-release';
import { createSessionCookie } from './routes/account/account-deps';
import { fastDataReads } from './routes/data/fast-reads';
import { fastFeatureQuality, fastReads } from './routes/market-state/fast-reads';
import { createQualityFacts } from './routes/market-state/get-feature-quality';
import { createNewestViews } from './routes/market-state/newest-views';
import { createReadiness, probeHandlers } from './routes/operations/readiness';
import { createCallLoad, type LoadLevel, watchEventLoop, createRequestLimits, PUBLIC_RATE, STATIC_RATE } from './serving/admission';
import { byOperationId } from './serving/answers/handler';
import { createApp, sandboxChoice } from './serving/serve-operation';
import { allowedOrigins, takesSecureCookies } from './serving/auth/authorise';
import { createCredentialDirectory } from './serving/auth/credential-directory';
import { fastPath } from './serving/fast-path';
import { createGatewayStatistics } from './serving/gateway-statistics';
import { createAddressReader, createAddressSigner } from './serving/http/request-lifetime';
import { createIdempotency } from './serving/idempotency';
import { connectBuckets, createPace, type Rate, createRefusedCredentials, REFUSED_RATE } from './serving/limits/pace';
import { createCreditLeases, createMeter } from './serving/metering/meter';
import { createOpenFiles } from './serving/open-files';
import { readDocsBuild, readPortalBuild, SiteBuildError } from './serving/serve-sites';
import { SERVER_LIMITS } from './serving/server/matched-server';
import { accessOf, closeServer, listen } from './serving/server/listen';
import { createMarketNames } from './serving/validation/market-names';
import { createRequestValidator } from './serving/validation/request-validator';
import { createStreams, type Streams } from './streams/open-streams';

const FORCE_AFTER_MS = 25_000;

function perSecond({ perMinute, burst }: AddressRate): Rate {
  return { perSecond: perMinute / 60, burst };
}

export interface GatewayOverrides {
  readonly logger?: Logger;
  readonly now?: () => number;
  readonly monotonicMs?: () => number;
  readonly loadLevel?: () => LoadLevel;
}

export interface Gateway extends RunningService {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly app: Express;
  readonly upstreams: Upstreams;
  readonly metrics: Metrics;
  readonly streams: Streams;
}

export function startGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const options = {
    ...config,
    name: 'gateway',
    methodRules: METHOD_RULES,
    logger: overrides.logger,
    // The public server should expose even short stalls.
    lagEveryMs: 10,
  };
  return bootService(options, (service) => openGateway(service, config, overrides));
}

async function openGateway(
  service: Service,
  config: GatewayConfig,
  overrides: GatewayOverrides,
): Promise<Omit<Gateway, keyof RunningService>> {
  const { logger, metrics, closer } = service;
  const now = overrides.now ?? Date.now;
  const monotonicMs = overrides.monotonicMs ?? (() => performance.now());
  let ownUrl = '';
  const baseUrl = (): string => config.publicBaseUrl ?? ownUrl;
  const portal = siteOf('PORTAL_DIR', config.portalDir, readPortalBuild);
  const docs = siteOf('DOCS_DIR', config.docsDir, (folder) => readDocsBuild(folder, baseUrl));
  const services = openUpstreams(config, service);
  const figures = createGatewayStatistics({ ...services, symbols: () => latestCache.symbols() ?? [], logger, metrics, now });
  closer.add('figures', () => figures.close());
  const markets = createLiveMarkets({ pushes: services.liveRows, logger, now, monotonicMs });
  closer.add('live markets', () => markets.close());
  const gapLists = createGapLists(services.marketData, markets);
  const candleLists = createCandleLists(services.marketData, markets);
  const upstreams = { ...services, marketData: liveMarketData(services.marketData, { markets, gapLists, candleLists }) };
  const shared = config.redisUrl === undefined ? null : connectBuckets({ redisUrl: config.redisUrl, logger, monotonicMs });
  closer.add('shared limits', () => shared?.close());
  const newPace = () => createPace({ shared, gatewayCount: config.gatewayCount ?? 1, monotonicMs });
  const refused = createRefusedCredentials({ pace: newPace(), rate: perSecond(config.refusedRate ?? REFUSED_RATE), metrics, monotonicMs });
  const directory = createCredentialDirectory({ ...upstreams, refused, logger, now, monotonicMs });
  closer.add('credential directory', () => directory.close());
  const leases = createCreditLeases({ credits: upstreams.credits, logger, metrics, monotonicMs });
  closer.add('credit leases', () => leases.close());

  const streams = createStreams({ upstreams, directory, logger, metrics, monotonicMs });
  closer.add('sources of streams', () => streams.close());

  const { latestCache, source, dataHealth } = openLatest(closer, {
    upstreams,
    hub: streams.packets,
    figures,
    logger,
    metrics,
    now,
    monotonicMs,
  });

  let stopping = false;
  const readiness = createReadiness({
    directory,
    accountHealth: upstreams.accountHealth,
    source,
    latestCache,
    dataHealth,
    isStopping: () => stopping,
    now,
    monotonicMs,
  });
  service.reportReadiness(async () => {
    const { status, dependencies } = await readiness();
    return { ready: status === 'ready', checks: Object.fromEntries(dependencies.map((dependency) => [dependency.name, dependency.ready])) };
  });

  const signer = createAddressSigner(config.linkSecret, now);
  const addressOf = createAddressReader(config.trustedProxies ?? [], signer);
  const limits = createRequestLimits({
    pace: newPace(),
    metrics,
    publicRate: perSecond(config.publicRate ?? PUBLIC_RATE),
    staticRate: perSecond(config.staticRate ?? STATIC_RATE),
    addressOf,
  });
  const symbolTotal = (): number => latestCache.symbols()?.length ?? 0;
  const loop = watchEventLoop(metrics);
  closer.add('event loop', () => loop.close());
  const load = createCallLoad({ level: overrides.loadLevel ?? loop.level, directory, symbolTotal, metrics });
  const meter = createMeter({ leases, quoteSecret: config.quoteSecret, metrics, symbolTotal, now });
  const market = {
    symbols: () => latestCache.symbols() ?? [],
    knownToMs: (symbol: string | null) => Math.max(now(), latestCache.newestMs(symbol ?? ALL_SYMBOLS)),
  };
  const names = createMarketNames({ served: market.symbols, venues: () => servedSymbols(upstreams.marketData) });
  const validator = createRequestValidator(market, names);

  const cookie = createSessionCookie(takesSecureCookies(config.publicBaseUrl, config.listenHost), now);
  const release = createRunningRelease({
    files: config.release,
    portal: portal?.hashes,
    docs: docs?.digest,
    served: () => servedRoutes(app),
    now,
  });
  const views = createNewestViews(now);
  const quality = createQualityFacts(upstreams, now);
  const past = createPastAnswers({ marks: createHistoryValidity({ markets, latestCache, monotonicMs }), metrics, monotonicMs });
  const handlers = createHandlers({
    upstreams,
    latest: source,
    views,
    quality,
    past,
    streams,
    dataHealth,
    release,
    meter,
    validator,
    cookie,
    quoteSecret: config.quoteSecret,
    linkSecret: config.linkSecret,
    signer,
    symbolTotal,
    baseUrl,
    logger,
    now,
  });
  const { app, createServer } = createApp({
    directory,
    validator,
    logger,
    metrics,
    figures,
    streams: streams.open,
    files: createOpenFiles({ guard: streams.guard, metrics }),
    idempotency: createIdempotency(upstreams.idempotency, logger),
    limits,
    load,
    meter,
    addressOf,
    sandbox: sandboxChoice(byOperationId(handlers.sandbox)),
    origins: allowedOrigins(baseUrl, config.allowedOrigins ?? []),
    handlers: byOperationId(handlers.everyone),
    fastPath: fastPath(
      [
        ...fastReads({ latestCache, views }),
        fastFeatureQuality({ latestCache, quality, markets, now }),
        ...fastDataReads({ markets, gapLists, candleLists }),
        ...fastPastReads(past),
      ],
      {
        directory,
        metrics,
        figures,
        logger,
        limits,
        meter,
        names,
      },
    ),
    probes: probeHandlers(readiness),
    pages: { sites: [docs, portal].filter((site) => site !== null), limits },
  });
  const server = createServer(
    { connectionsPerAddressMax: config.connectionsPerAddress ?? SERVER_LIMITS.connectionsPerAddressMax },
    accessOf(config, metrics),
  );
  const { port } = await listen(server, config.port, config.listenHost);
  ownUrl = `http://127.0.0.1:${port}`;
  let stopOrderMs = 0;
  closer.add('public server', () => closeServer(server, FORCE_AFTER_MS - (monotonicMs() - stopOrderMs)));
  closer.add('open streams', () => streams.open.close());
  closer.add('not ready', async () => {
    stopping = true;
    stopOrderMs = monotonicMs();
    await delay(config.shutdownWaitMs);
  });
  return {
    url: `http://${config.listenHost}:${port}`,
    port,
    server,
    app,
    upstreams,
    metrics,
    streams,
  };
}

/** @throws {ConfigError} names the setting if its folder holds no build */
function siteOf<Build>(variable: 'PORTAL_DIR' | 'DOCS_DIR', folder: string | undefined, read: (folder: string) => Build): Build | null {
  if (folder === undefined) return null;
  try {
    return read(folder);
  } catch (error) {
    if (error instanceof SiteBuildError) throw new ConfigError([{ variable, message: error.message }]);
    throw error;
  }
}
