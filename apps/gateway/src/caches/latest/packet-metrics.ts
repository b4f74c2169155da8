import type { labeling } from '@market-state/contracts';
import { isInTime } from '@market-state/service-figures';
import type { Metrics } from '@market-state/telemetry';
import { Gauge, Histogram } from 'prom-client';
import type { GatewayFigures } from '../../serving/gateway-figures';
import type { LatestCache } from './latest-cache';

/** A packet whose window was closed longer ago is history that is being filled, milliseconds. */
const HISTORY_MS = 60_000;

/** How late packets come, and how old the newest of each symbol is. */
export interface PacketMetrics {
  /** Packets of these symbols are pushed, for the first time or again: the first of each is the newest there was, whenever that came. */
  began(symbols: readonly string[]): void;
  /** One that is not `isNewer` than all before has been counted, or is the newest there was. */
  pushed(record: Pick<labeling.PacketRecord, 'symbol' | 'windowEndMs' | 'knownTsMs' | 'generatedTsMs'>, isNewer: boolean): void;
}

export interface PacketMetricsDeps {
  readonly metrics: Metrics;
  readonly latestCache: Pick<LatestCache, 'symbols' | 'newestMs'>;
  /** Counts the same packets by the minute, of each symbol from the first that is in time on. */
  readonly figures: Pick<GatewayFigures, 'packet'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Registers `packet_close_to_gateway_seconds` and `packet_age_seconds{symbol}`. A symbol without a packet ages from the start of the
 * process.
 */
export function createPacketMetrics({ metrics, latestCache, figures, now }: PacketMetricsDeps): PacketMetrics {
  const registers = [metrics.registry];
  const startedMs = now();
  const known = new Set<string>();
  /** Those of which a packet came in time since they began: what comes before it is caught up with. */
  const live = new Set<string>();
  const late = new Histogram({
    name: 'packet_close_to_gateway_seconds',
    help: 'Time from the tick that closes a window, by the feed clock, to its packet at this gateway.',
    buckets: [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 5, 30],
    registers,
  });
  new Gauge({
    name: 'packet_age_seconds',
    help: 'Time since the end of the newest window of a symbol that has a packet here.',
    labelNames: ['symbol'],
    registers,
    collect() {
      this.reset();
      for (const symbol of latestCache.symbols() ?? [])
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
