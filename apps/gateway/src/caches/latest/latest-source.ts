import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError, unavailable, unknownSymbol } from '@market-state/errors';
import type { FollowedStream, GrpcClient } from '@market-state/grpc';
import type { Closer } from '@market-state/lifecycle';
import { type Logger, currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { type DataHealthWatch, watchDataHealth } from '../../clients/data-health';
import type { Upstreams } from '../../clients/upstreams';
import type { GatewayStatistics } from '../../serving/gateway-statistics';
import { operationById } from '../../serving/openapi/operations';
import type { PacketHub } from '../../streams/packet-hub';
import { createLatestCache, type LatestCache, ALL_SYMBOLS, type PublishedLatest, latestChecks } from './latest-cache';
import { createPacketMetrics, type PacketMetrics } from './packet-metrics';
import { mergePushes, type PacketPushes } from '../../clients/packet-pushes';
import { fromProtoPacket, type ServedPacket } from '../../clients/packet-client';
import type { PacketView } from '../../serving/answers/packet-answer';

/** Minimum interval between unary reads of a symbol. */
const ASK_EVERY_MS = 1_000;

/** Batch size for symbols that no process pushes. */
const ASK_AT_ONCE = 50;

export interface LatestSource {
  /** Calls labeling first unless packets are pushed and fresh. Throws a ServiceError. */
  read(symbol: string, view: PacketView): Promise<PublishedLatest>;
  /** The packet that `read` returns. */
  newest(symbol: string): Promise<ServedPacket>;
  isStreaming(): boolean;
  notPushed(): readonly string[];
  close(): Promise<void>;
}

interface LatestSourceDeps {
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly pushes: PacketPushes;
  readonly latestCache: LatestCache;
  readonly hub: Pick<PacketHub, 'take' | 'setPushed'>;
  readonly packetMetrics: PacketMetrics;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

/** Fills the cache from the packet stream, with unary reads while the stream is down or its packet too old. */
function createLatestSource(deps: LatestSourceDeps): LatestSource {
  const { packets, pushes, latestCache, hub, packetMetrics, logger, monotonicMs } = deps;
  const asking = new Map<string, Promise<void>>();
  const requestedAtMs = new Map<string, number>();

  function store(record: labeling.PacketRecord): void {
    try {
      latestCache.push(fromProtoPacket(record));
    } catch (error) {
      logger.error({ err: error, packet_id: record.packetId }, 'cannot parse packet');
    }
  }

  /** An error would break the stream for every symbol. */
  function forward(record: labeling.PacketRecord): void {
    try {
      hub.take(record);
    } catch (error) {
      logger.error({ err: error, packet_id: record.packetId }, 'cannot stream packet');
    }
  }

  const merged = mergePushes({
    began: packetMetrics.began,
    onPacket(record, isNewer) {
      packetMetrics.pushed(record, isNewer);
      if (!isNewer) return;
      forward(record);
      store(record);
    },
    onSymbols(served, pushed) {
      latestCache.setSymbols(served);
      latestCache.setPushed(pushed);
      hub.setPushed(pushed);
    },
  });
  const stream: FollowedStream = pushes({
    ...merged,
    onMessage(message, from) {
      merged.onMessage(message, from);
      if (message.message?.$case === 'heartbeat') askForStored();
    },
    onUp: (from) => logger.info({ from }, 'packet stream connected'),
    onDown(error, from) {
      latestCache.setAnswers(false);
      merged.onDown(error, from);
      logger.warn({ from, reason: error.reason, detail: error.detail }, 'packet stream lost; falling back to unary reads');
    },
  });

  function notPushed(): readonly string[] {
    return (latestCache.symbols() ?? []).filter((symbol) => latestCache.reach(symbol) !== 'stream');
  }

  async function ask(symbol: string): Promise<void> {
    try {
      const { packet } = await packets.call.getLatestPacket({ symbol, asOfMs: 0 });
      if (packet !== undefined) store(packet);
      latestCache.setAnswers(true);
    } catch (error) {
      if (!isServiceError(error) || error.reason === 'unknown_symbol') throw error;
      if (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED') latestCache.setAnswers(false);
      logger.warn({ symbol, code: error.code, reason: error.reason, detail: error.detail }, 'cannot read the newest packet');
    } finally {
      asking.delete(symbol);
      requestedAtMs.set(symbol, monotonicMs());
    }
  }

  function askForStored(): void {
    const missing = notPushed().filter((symbol) => latestCache.packet(symbol) === undefined);
    for (const symbol of missing.slice(0, ASK_AT_ONCE))
      askNow(symbol)?.catch((error: unknown) =>
        logger.warn({ symbol, err: error }, 'cannot read the stored packet of a symbol that is not pushed'),
      );
  }

  function askNow(symbol: string): Promise<void> | undefined {
    const running = asking.get(symbol);
    if (running !== undefined) return running;
    if (monotonicMs() - (requestedAtMs.get(symbol) ?? Number.NEGATIVE_INFINITY) < ASK_EVERY_MS) return undefined;
    // Detached from the first caller's request: others may wait for the same read.
    const reading = withRequestContext({ requestId: requestIdOr(currentRequestId()) }, () => ask(symbol));
    asking.set(symbol, reading);
    return reading;
  }

  function nothingYet(symbol: string): ServiceError {
    if (latestCache.reach(symbol) === 'unreachable')
      return unavailable(
        'upstream_unavailable',
        'The labeling service is unreachable and this gateway has no cached packet. Retry in a few seconds.',
      );
    return failedPrecondition('no_packet_yet', 'No packet has been produced yet.');
  }

  function refuseUnknown(symbol: string): void {
    const served = latestCache.symbols();
    if (symbol !== ALL_SYMBOLS && served !== null && !served.includes(symbol)) throw unknownSymbol(symbol, served);
  }

  async function refresh(symbol: string): Promise<void> {
    refuseUnknown(symbol);
    if (latestCache.warm(symbol, 'packet') !== null) return;
    const wanted = symbol === ALL_SYMBOLS ? (latestCache.symbols() ?? []) : [symbol];
    await Promise.all(wanted.filter((one) => latestCache.warm(one, 'packet') === null).map(askNow));
  }

  return {
    async read(symbol, view) {
      await refresh(symbol);
      const response = latestCache.published(symbol, view);
      if (response === null) throw nothingYet(symbol);
      return response;
    },
    async newest(symbol) {
      await refresh(symbol);
      const packet = latestCache.packet(symbol);
      if (packet === undefined) throw nothingYet(symbol);
      return packet;
    },
    isStreaming: () => stream.isUp(),
    notPushed,
    close: () => stream.close(),
  };
}

interface OpenLatestDeps {
  readonly upstreams: Pick<Upstreams, 'packets' | 'pushedPackets' | 'liveRows'>;
  readonly hub: Pick<PacketHub, 'take' | 'setPushed'>;
  readonly figures: Pick<GatewayStatistics, 'packet'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

interface OpenLatest {
  readonly latestCache: LatestCache;
  readonly source: LatestSource;
  readonly dataHealth: DataHealthWatch;
}

export function openLatest(closer: Closer, { upstreams, hub, figures, logger, metrics, now, monotonicMs }: OpenLatestDeps): OpenLatest {
  const invalid = new Counter({
    name: 'latest_response_invalid_total',
    help: 'Latest responses that violate their schema.',
    labelNames: ['symbol'],
    registers: [metrics.registry],
  });
  const latestCache = createLatestCache({
    operation: operationById('getLatest'),
    now,
    checks: latestChecks(),
    onInvalid(symbol, fault) {
      invalid.inc({ symbol });
      logger.error({ symbol, fault: fault.slice(0, 2_000) }, 'latest response violates its schema');
    },
  });
  closer.add('latest cache', () => latestCache.close());
  const source = createLatestSource({
    packets: upstreams.packets,
    pushes: upstreams.pushedPackets,
    latestCache,
    hub,
    packetMetrics: createPacketMetrics({ metrics, latestCache, figures, now }),
    logger,
    monotonicMs,
  });
  closer.add('packet stream', () => source.close());
  const dataHealth = watchDataHealth(upstreams.liveRows, (health) => latestCache.setDataHealth(health));
  closer.add('data health', () => dataHealth.close());
  return { latestCache, source, dataHealth };
}
