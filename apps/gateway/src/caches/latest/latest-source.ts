import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError, unavailable, unknownSymbol } from '@market-state/errors';
import type { FollowedStream, GrpcClient } from '@market-state/grpc';
import type { Closer } from '@market-state/lifecycle';
import { currentRequestId, type Logger, requestIdOr, withRequestContext } from '@market-state/logging';
import { isInTime } from '@market-state/service-figures';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge, Histogram } from 'prom-client';
import { type DataHealthWatch, watchDataHealth } from '../../clients/data-health';
import { fromProtoPacket, type ServedPacket } from '../../clients/packet-client';
import { mergePushes, type PacketPushes } from '../../clients/packet-pushes';
import type { Upstreams } from '../../clients/upstreams';
import type { PacketView } from '../../serving/answers/packet-answer';
import type { GatewayStatistics } from '../../serving/gateway-statistics';
import { operationById } from '../../serving/openapi/operations';
import type { PacketHub } from '../../streams/packet-hub';
import { ALL_SYMBOLS, createLatestCache, type LatestCache, latestChecks, type PublishedLatest } from './latest-cache';

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

/** Unary reads fill in while the stream is down or its packet too old. */
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

/** Beyond this age a packet belongs to a backfill. */
const HISTORY_MS = 60_000;

interface PacketMetrics {
  /** The next packet of each symbol is the newest stored one, regardless of its age. */
  began(symbols: readonly string[]): void;
  /** A packet that is not `isNewer` is a duplicate or the stored newest. */
  pushed(record: Pick<labeling.PacketRecord, 'symbol' | 'windowEndMs' | 'knownTsMs' | 'generatedTsMs'>, isNewer: boolean): void;
}

interface PacketMetricsDeps {
  readonly metrics: Metrics;
  readonly latestCache: Pick<LatestCache, 'symbols' | 'newestMs' | 'isImported'>;
  /** Per-minute counts, from each symbol's first timely packet. */
  readonly figures: Pick<GatewayStatistics, 'packet'>;
  readonly now: () => number;
}

/** A symbol without a packet ages from process start. */
export function createPacketMetrics({ metrics, latestCache, figures, now }: PacketMetricsDeps): PacketMetrics {
  const registers = [metrics.registry];
  const startedMs = now();
  const known = new Set<string>();
  /** Symbols that have had a timely packet; earlier ones are catch-up. */
  const live = new Set<string>();
  const late = new Histogram({
    name: 'packet_close_to_gateway_seconds',
    help: 'Time from the tick that closes a window, by the feed clock, until its packet reaches this gateway.',
    buckets: [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 5, 30],
    registers,
  });
  new Gauge({
    name: 'packet_age_seconds',
    help: 'Time since the end of the newest window, for each symbol with a packet in this gateway. Imported symbols have none.',
    labelNames: ['symbol'],
    registers,
    collect() {
      this.reset();
      for (const symbol of (latestCache.symbols() ?? []).filter((each) => !latestCache.isImported(each)))
        this.set({ symbol }, Math.max(0, now() - (latestCache.newestMs(symbol) || startedMs)) / 1_000);
    },
  });
  return {
    began(symbols) {
      for (const symbol of symbols) {
        known.delete(symbol);
        live.delete(symbol);
      }
    },
    pushed({ symbol, windowEndMs, knownTsMs, generatedTsMs }, isNewer) {
      const nowMs = now();
      const lateMs = nowMs - knownTsMs;
      if (isNewer && known.has(symbol) && lateMs <= HISTORY_MS) {
        late.observe(Math.max(0, lateMs) / 1_000);
        if (isInTime(windowEndMs, nowMs)) live.add(symbol);
        if (live.has(symbol)) figures.packet(symbol, nowMs - generatedTsMs, lateMs);
      }
      known.add(symbol);
    },
  };
}
