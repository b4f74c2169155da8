import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import type { MarketTail } from './tail';

/**
 * Registers `data_gaps{symbol}`: what the gap ledger has of the last 24 h, seams of a recording left out. Absent until a symbol is rebuilt.
 */
export function registerGapMetrics(metrics: Metrics, tail: Pick<MarketTail, 'symbols' | 'peek'>): void {
  new Gauge({
    name: 'data_gaps',
    help: 'Gaps of a symbol in the last 24 h, over all channels; seams of a recording lose nothing and are left out.',
    labelNames: ['symbol'],
    registers: [metrics.registry],
    collect() {
      for (const symbol of tail.symbols) {
        const market = tail.peek(symbol);
        if (market !== undefined) this.set({ symbol }, market.gaps.all().filter(({ isSeam }) => !isSeam).length);
      }
    },
  });
}
