import type { labeling } from '@market-state/contracts';
import { isInTime } from '@market-state/service-figures';
import type { Metrics } from '@market-state/telemetry';
import { Gauge, Histogram } from 'prom-client';
import type { GatewayStatistics } from '../../serving/gateway-statistics';
import type { LatestCache } from './latest-cache';

/** Beyond this age a packet belongs to a backfill. */
const HISTORY_MS = 60_000;

export interface PacketMetrics {
  /** The next packet of each symbol is the newest stored one, regardless of its age. */
  began(symbols: readonly string[]): void;
  /** A packet that is not `isNewer` is a duplicate or the stored newest. */
  pushed(record: Pick<labeling.PacketRecord, 'symbol' | 'windowEndMs' | 'knownTsMs' | 'generatedTsMs'>, isNewer: boolean): void;
}

export interface PacketMetricsDeps {
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
