import type { Schemas } from '@market-state/client';
import { useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import type { TimeSpan } from '../../figures/strip-parts';
import { StateLegend } from '../../figures/state-legend';
import { CompositeCharts } from '../../market/composite-charts';
import { CompositeTable } from '../../market/composite-table';
import { GapList } from '../../market/gap-list';
import styles from '../../market/market.module.css';
import { PacketTable } from '../../market/packet-table';
import { PriceChart } from '../../market/price-chart';
import { seriesOf } from '../../market/series';
import { BOARD_SPAN_MS, type CompactPacket } from '../../packets/board';
import { Lanes } from '../../market/lanes';
import { ContextPanel } from './context-panel';
import { FlowPanes } from './flow/flow-panes';
import { SymbolHead } from './symbol-head';
import { useContextOf } from './use-context';
import { useSymbolPackets } from './use-symbol-packets';

export default function SymbolPage() {
  const { symbol = '' } = useParams<{ symbol: string }>();
  return <SymbolView key={symbol} symbol={symbol} />;
}

function SymbolView({ symbol }: { readonly symbol: string }) {
  const { packets, unread, stream, error, isLoading, retry, past } = useSymbolPackets(symbol);
  if (error !== null) return <ProblemNotice error={error} retry={retry} />;
  if (isLoading) return <Outline rows={10} label={`Loading the newest packet of ${symbol}`} />;
  const newest = packets.at(-1);
  return (
    <>
      <SourceRibbon states={newest === undefined ? [] : [newest.response_state]} />
      <SymbolHead symbol={symbol} newest={newest} stream={stream} />
      {stream.failure === null ? null : <ProblemNotice error={stream.failure} retry={stream.goOn} />}
      {past.error === null ? null : <ProblemNotice error={past.error} retry={past.retry} />}
      {newest === undefined ? (
        <Empty why={`${symbol} has no packet yet.`}>Its first one comes within 20 s of the first book of its feed.</Empty>
      ) : null}
      <Panes symbol={symbol} packets={packets} unread={unread} />
    </>
  );
}

const TABLE_ROWS = 30;
const NO_GAPS: readonly Schemas['Gap'][] = [];

interface PanesProps {
  readonly symbol: string;
  readonly packets: readonly CompactPacket[];
  readonly unread: readonly TimeSpan[];
}

function Panes({ symbol, packets, unread }: PanesProps) {
  const [fromMs] = useState(() => Date.now() - BOARD_SPAN_MS);
  const context = useContextOf(symbol, fromMs);
  const gaps = context.gaps.data ?? NO_GAPS;
  const series = useMemo(() => seriesOf(packets, gaps), [packets, gaps]);
  const newest = packets.at(-1);
  const endMs = newest === undefined ? fromMs + BOARD_SPAN_MS : Date.parse(newest.window_end_utc);
  const span = { startMs: endMs - BOARD_SPAN_MS, endMs, spanWords: 'of the last hour' };
  const row = context.newest.data?.rows[0];
  return (
    <div className={styles['panes']}>
      <div className={styles['charts']}>
        <section aria-label="Price and states">
          <h2>
            Mid price, USD, over published states{' '}
            <span className={styles['soft']}>
              marks at the foot: event classes, by the side that they lean to; grey lines: seams of the recording
            </span>
          </h2>
          <PriceChart packets={packets} series={series} {...span} knownToMs={endMs} unread={unread} gaps={gaps} />
        </section>
        <section aria-label="Composites">
          <h2>
            Composite scores, 0–1{' '}
            <span className={styles['soft']}>
              dashed: watch; dotted: elevated, as they were in force
              {unread.length === 0 ? '' : '; part of the hour is not loaded yet'}
            </span>
          </h2>
          <CompositeCharts series={series} newest={newest} {...span} />
          <CompositeTable packets={packets} rowsMax={TABLE_ROWS} />
        </section>
        <StateLegend />
        <PacketTable packets={packets} rowsMax={TABLE_ROWS} />
        {row !== undefined && 'packet' in row && row.packet !== undefined ? <Lanes lanes={row.packet.compute_lanes} /> : null}
        {context.gaps.data === undefined ? null : <GapList gaps={context.gaps.data} />}
      </div>
      <div className={styles['sides']}>
        <FlowPanes symbol={symbol} />
        <ContextPanel {...context} />
      </div>
    </div>
  );
}
