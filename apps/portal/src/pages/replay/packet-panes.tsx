import type { Schemas } from '@market-state/client';
import { memo, useMemo } from 'react';
import { CompositeCharts } from '../../market/composite-charts';
import { CompositeTable } from '../../market/composite-table';
import market from '../../market/market.module.css';
import { PriceChart } from '../../market/price-chart';
import { seriesOf } from '../../market/series';
import type { CompactPacket } from '../../packets/board';
import type { Span } from '../../service/url-span';
import { clockSpan } from '../../time/clock';
import { useZone } from '../../time/zone';
import { windowsClosedAt } from './cursor';

const TABLE_ROWS = 30;

interface PacketPanesProps {
  readonly span: Span;
  /** Packets up to the cursor. */
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly atMs: number;
}

/** Price over state bands and composites, up to the cursor; drawn again when a window closes. */
export function PacketPanes({ span, packets, gaps, atMs }: PacketPanesProps) {
  const knownToMs = Math.max(span.fromMs, windowsClosedAt(atMs));
  return <Drawn span={span} packets={packets} gaps={gaps} knownToMs={knownToMs} />;
}

const Drawn = memo(function Drawn({ span, packets, gaps, knownToMs }: Omit<PacketPanesProps, 'atMs'> & { readonly knownToMs: number }) {
  useZone();
  const series = useMemo(() => seriesOf(packets, gaps), [packets, gaps]);
  const shown = {
    startMs: span.fromMs,
    endMs: span.toMs,
    spanWords: `from ${clockSpan(span.fromMs, knownToMs, 'time')}`,
  };
  return (
    <>
      <section aria-label="Price and states">
        <h2>
          Mid price, USD, over published states{' '}
          <span className={market['soft']}>up to the cursor; hatched: no packets, or rows missing; grey lines: seams of the recording</span>
        </h2>
        <PriceChart packets={packets} series={series} {...shown} knownToMs={knownToMs} gaps={gaps} />
      </section>
      <section aria-label="Composites">
        <h2>
          Composite scores, 0–1 <span className={market['soft']}>dashed: watch; dotted: elevated, as they were in force</span>
        </h2>
        <CompositeCharts series={series} newest={packets.at(-1)} {...shown} />
        <CompositeTable packets={packets} rowsMax={TABLE_ROWS} />
      </section>
    </>
  );
});
