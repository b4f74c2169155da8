import type { Closer } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { type DataHealthWatch, watchDataHealth } from '../clients/data-health';
import type { Upstreams } from '../clients/upstreams';
import type { GatewayFigures } from '../serving/gateway-figures';
import { operationById } from '../serving/openapi/operations';
import type { PacketHub } from '../streams/packet-hub';
import { createLatestBoard, type LatestBoard } from './latest-board';
import { createLatestSource, type LatestSource } from './latest-source';
import { createPacketMetrics } from './packet-metrics';
import { latestChecks } from './response-check';

export interface OpenLatestDeps {
  readonly upstreams: Pick<Upstreams, 'packets' | 'pushedPackets' | 'liveRows'>;
  /** Hands the packets on to the streams of packets. */
  readonly hub: Pick<PacketHub, 'take' | 'setPushed'>;
  readonly figures: Pick<GatewayFigures, 'packet'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

/** The board of the newest packets, what fills it, and what is said on it of the data plane. */
export interface OpenLatest {
  readonly board: LatestBoard;
  readonly source: LatestSource;
  readonly dataHealth: DataHealthWatch;
}

export function openLatest(closer: Closer, { upstreams, hub, figures, logger, metrics, now, monotonicMs }: OpenLatestDeps): OpenLatest {
  const invalid = new Counter({
    name: 'latest_response_invalid_total',
    help: 'Latest responses that do not keep to their schema.',
    labelNames: ['symbol'],
    registers: [metrics.registry],
  });
  const board = createLatestBoard({
    operation: operationById('getLatest'),
    now,
    checks: latestChecks(),
    onInvalid(symbol, fault) {
      invalid.inc({ symbol });
      logger.error({ symbol, fault: fault.slice(0, 2_000) }, 'latest response does not keep to its schema');
    },
  });
  closer.add('latest board', () => board.close());
  const source = createLatestSource({
    packets: upstreams.packets,
    pushes: upstreams.pushedPackets,
    board,
    hub,
    packetMetrics: createPacketMetrics({ metrics, board, figures, now }),
    logger,
    monotonicMs,
  });
  closer.add('packet stream', () => source.close());
  const dataHealth = watchDataHealth(upstreams.liveRows, (health) => board.setDataHealth(health));
  closer.add('data health', () => dataHealth.close());
  return { board, source, dataHealth };
}
