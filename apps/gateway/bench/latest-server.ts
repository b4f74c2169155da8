import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METHOD_RULES } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { bootService, type Service } from '@market-state/service';
import { openTracing } from '@market-state/tracing';
import { createLatestCache, latestChecks } from '../src/caches/latest/latest-cache';
import { fromProtoPacket, type ServedPacket } from '../src/clients/packet-client';
import { openUpstreams } from '../src/clients/upstreams';
import { fastReads } from '../src/routes/market-state/fast-reads';
import { createNewestViews, getCrowdingRegimeLatest } from '../src/routes/market-state/newest-views';
import { createRequestLimits } from '../src/serving/admission';
import { byOperationId } from '../src/serving/answers/handler';
import { createApp } from '../src/serving/serve-operation';
import { createCredentialDirectory } from '../src/serving/auth/credential-directory';
import { fastPath } from '../src/serving/fast-path';
import { createGatewayStatistics } from '../src/serving/gateway-statistics';
import { createAddressReader } from '../src/serving/http/request-lifetime';
import { fixedJson } from '../src/serving/http/representation';
import { connectBuckets, createPace } from '../src/serving/limits/pace';
import { createCreditLeases, createMeter } from '../src/serving/metering/meter';
import { operationById } from '../src/serving/openapi/operations';
import { type AheadOfApp, createMatchedApp } from '../src/serving/server/matched-server';
import { createMarketNames } from '../src/serving/validation/market-names';
import { createRequestValidator } from '../src/serving/validation/request-validator';
import { packetRecord } from '../tests/stand-in/packet-record';

export type ServerQuestion = { readonly ask: 'cpu' } | { readonly ask: 'upstream_calls' };

const SYMBOL = 'BTCUSD-PERP';
/** Address of an unreachable trace collector. */
const UNREACHABLE = 'http://127.0.0.1:1';
const monotonicMs = (): number => performance.now();

function report(value: number): void {
  process.send?.({ value });
}

/** Exits with the parent process. */
process.on('disconnect', () => process.exit(0));

function answerWith(upstreamCallTotal: () => number): void {
  process.on('message', ({ ask }: ServerQuestion) => {
    const { user, system } = process.cpuUsage();
    report(ask === 'cpu' ? user + system : upstreamCallTotal());
  });
}

async function serve(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  report((server.address() as AddressInfo).port);
}

function bareServer(sizeBytes: number): Server {
  const body = Buffer.alloc(sizeBytes, 0x20);
  return createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
    res.end(body);
  });
}

/** The same shortcut as the first route of an Express application, backed by the whole one. */
function throughExpress(path: string, hot: AheadOfApp, whole: RequestListener): Server {
  const { app, createServer: createMatched } = createMatchedApp();
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('strict routing').enable('case sensitive routing');
  app.get(path, (req, res, next) => {
    if (!hot(req, res)) next();
  });
  app.use((req, res) => whole(req, res));
  return createMatched();
}

/**
 * The parts of the gateway that serve `latest`, with an always fresh packet; `variant` leaves parts out, puts Express
 * first, or records traces.
 */
function latestServer(service: Service, variant: string, accountAddress: string, redisUrl: string): Server {
  const { logger, metrics } = service;
  const upstreams = openUpstreams(
    {
      accountAddresses: [accountAddress],
      labelingAddresses: [accountAddress],
      dataPlaneAddresses: [accountAddress],
      exportAddresses: [accountAddress],
      webhookAddresses: [accountAddress],
      mcpAddresses: [accountAddress],
    },
    service,
  );
  answerWith(() => upstreams.keyLookUps.unaryCallTotal() + upstreams.credits.unaryCallTotal());
  const directory = createCredentialDirectory({
    ...upstreams,
    refused: { refuseWhileOver: () => undefined, count: async () => undefined },
    logger,
    now: Date.now,
    monotonicMs,
  });
  const operation = operationById('getLatest');
  const latestCache = createLatestCache({ operation, now: Date.now, checks: latestChecks(), onInvalid: () => undefined });
  const newest = (): ServedPacket => {
    const packet = latestCache.packet(SYMBOL);
    if (packet === undefined) throw new Error('no packet');
    return packet;
  };
  const push = (): void => latestCache.push(fromProtoPacket(packetRecord(SYMBOL, Math.floor(Date.now() / 10_000) * 10_000)));
  latestCache.setSymbols([SYMBOL]);
  push();
  latestCache.setPushed(new Set([SYMBOL]));
  setInterval(push, 10_000);

  const leases = createCreditLeases({ credits: upstreams.credits, logger, metrics, monotonicMs });
  const addressOf = createAddressReader([], { read: () => undefined });
  const pace = createPace({ shared: connectBuckets({ redisUrl, logger, monotonicMs }), gatewayCount: 1, monotonicMs });
  const free = {
    settle: () => [],
    post: () => undefined,
    cancel: () => undefined,
    stream: () => ({ pay: () => null, end: () => undefined }),
  };
  const isMetered = variant !== 'unmetered';
  const limits = isMetered
    ? createRequestLimits({ pace, metrics, publicRate: { perSecond: 1, burst: 1 }, staticRate: { perSecond: 1, burst: 1 }, addressOf })
    : { admit: async () => [], countStray: async () => undefined, admitNow: () => [], refuseNow: () => null };
  const meter = isMetered
    ? createMeter({ leases, quoteSecret: 's'.repeat(32), metrics, symbolTotal: () => 1, now: Date.now })
    : { open: async () => free, openNow: () => free };
  const views = createNewestViews(Date.now);
  const reads = fastReads({ latestCache, views });
  const figures =
    variant === 'uncounted'
      ? { answered: () => undefined }
      : createGatewayStatistics({
          readFigures: { call: { recordReadMinutes: async () => ({}) } },
          packets: { call: { recordGatewayMinutes: async () => ({}) } },
          symbols: () => [],
          logger,
          metrics,
          now: Date.now,
        });
  // In place of upstream calls: the rest of the full path is measured.
  const constant = fixedJson({ constant: true });
  const names = createMarketNames({ served: () => [], venues: async () => [] });
  const hot = fastPath(reads, { directory, metrics, figures, logger, limits, meter, names });
  const { app, createServer: createMatched } = createApp({
    directory,
    validator: createRequestValidator({ symbols: () => [], knownToMs: () => Date.now() }, names),
    logger,
    metrics,
    figures,
    streams: { serve: async () => undefined },
    files: { serve: async () => undefined },
    idempotency: { begin: () => Promise.reject(new Error('latest takes no key')) },
    limits,
    load: { refuseEarly: () => undefined, enter: () => () => undefined },
    meter,
    addressOf,
    origins: () => new Set(),
    sandbox: (_operation, handler) => handler,
    handlers: byOperationId<'getLatest' | 'getCrowdingRegimeLatest' | 'getDataRights'>({
      getDataRights: () => constant as never,
      getCrowdingRegimeLatest: getCrowdingRegimeLatest({ upstreams, latest: { newest: async () => newest() }, views, now: Date.now }),
      getLatest: ({ input }) =>
        latestCache.published(input.query.symbol, input.query.view)?.representation ?? Promise.reject(new Error('no packet')),
    }),
    fastPath: hot,
    probes: new Map(),
  });
  return variant === 'express' ? throughExpress(operation.path, hot, app) : createMatched();
}

/** `bare <bytes>` serves a constant buffer; `<variant of latest.ts> <account> <redis>` serves `latest` and its views. */
async function main(): Promise<void> {
  const [variant = '', first = '', redisUrl = ''] = process.argv.slice(2);
  if (variant === 'bare') {
    answerWith(() => 0);
    return serve(bareServer(Number(first)));
  }
  if (variant === 'traced') await openTracing({ service: 'gateway', endpoint: UNREACHABLE, onLost: () => undefined });
  const options = {
    name: 'gateway',
    logLevel: 'info',
    rpc: { kind: 'token', tokenFile: process.env['RPC_TOKEN_FILE'] ?? '' },
    opsPort: 0,
    methodRules: METHOD_RULES,
    logger: silentLogger(),
  } as const;
  await bootService(options, async (service) => {
    await serve(latestServer(service, variant, first, redisUrl));
    return {};
  });
}

void main();
