import type { Schemas } from '@market-state/client';
import { duration, words } from '@market-state/packet-figures';
import { priceText } from '../../market/numbers';
import { memo, useMemo } from 'react';
import { Link } from 'wouter';
import { Outline, ProblemNotice } from '../../status-components/conditions';
import { SpendButton } from '../../controls/buttons';
import { LadderView, TapeView } from '../../market/flow-views';
import { clock, clockSpan } from '../../time/clock';
import { type Chunk, isRead, type Readings } from './chunks';
import { flowAt, gapAt, windowsClosedAt } from './cursor';
import styles from './replay.module.css';
import { CHUNK_CREDITS_MAX } from './use-readings';
import { StateMark } from '../../charts/state-mark';
import { PacketLines } from '../../market/packet-lines';
import { type CompactPacket, PACKET_MS, stateAgeMs } from '../../packets/live-markets';
import { CompositeCharts, CompositeTable } from '../../market/composites';
import market from '../../market/market.module.css';
import { PriceChart } from '../../market/price-chart';
import { seriesOf } from '../../market/series';
import type { Span } from '../../service/url-state';
import { useZone } from '../../time/zone';
import { symbolOf } from '../../packets/market-name';

const TABLE_ROWS = 30;

interface PacketPanesProps {
  readonly span: Span;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly atMs: number;
}

/** Redrawn when a window closes. */
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
          <span className={market['soft']}>up to the cursor; hatched: no packets or missing rows; grey lines: recording seams</span>
        </h2>
        <PriceChart packets={packets} series={series} {...shown} knownToMs={knownToMs} gaps={gaps} />
      </section>
      <section aria-label="Composites">
        <h2>
          Composite scores, 0–1 <span className={market['soft']}>thresholds in force at the time: watch dashed, elevated dotted</span>
        </h2>
        <CompositeCharts series={series} newest={packets.at(-1)} {...shown} />
        <CompositeTable packets={packets} rowsMax={TABLE_ROWS} />
      </section>
    </>
  );
});

export function PacketAtCursor({ packet, atMs }: { readonly packet: CompactPacket | undefined; readonly atMs: number }) {
  if (packet === undefined)
    return (
      <p className={styles['packet']}>
        <b>No packet yet</b> <span className={styles['soft']}>No window of this span has closed with a packet at this time.</span>
      </p>
    );
  const endMs = Date.parse(packet.window_end_utc);
  const missing = Math.round((windowsClosedAt(atMs) - endMs) / PACKET_MS);
  return (
    <section aria-label="Packet at the cursor" className={styles['packet']} data-stale={missing > 0}>
      <p className={styles['title']}>
        <Link href={`/packet/${packet.event_id}`} className={styles['state'] ?? ''}>
          <StateMark state={packet.state} /> {packet.state_label}
        </Link>
        <span className={styles['mid']}>{packet.mid_price === null ? 'no book' : `${priceText(packet.mid_price)} USD`}</span>
        <span className={styles['soft']}>for {duration(stateAgeMs(packet))}</span>
        <span className={styles['soft']}>window to {clock(endMs, 'time')}</span>
        {missing > 0 ? <b className={styles['late']}>no packet for {duration(missing * PACKET_MS)}</b> : null}
      </p>
      <PacketLines packet={packet} />
    </section>
  );
}

interface FlowAtCursorProps {
  readonly symbol: string;
  readonly chunks: readonly Chunk[];
  readonly chunk: Chunk;
  readonly readings: Readings;
  readonly gaps: readonly Schemas['Gap'][];
  readonly atMs: number;
  readonly onRead: (chunk: Chunk) => void;
}

export function FlowAtCursor({ symbol, chunks, chunk, readings, gaps, atMs, onRead }: FlowAtCursorProps) {
  const reading = readings.get(chunk.index);
  const flow = flowAt(chunks, readings, atMs);
  const unit = symbolOf(symbol).replace(/USD-PERP$/, '');
  const [bookGap, tradeGap] = [gapAt(gaps, 'book', atMs), gapAt(gaps, 'trades', atMs)];
  return (
    <>
      {reading?.state === 'failed' ? <ProblemNotice error={reading.failure} retry={() => onRead(chunk)} /> : null}
      {flow === null ? (
        <Unread chunk={chunk} readings={readings} onRead={onRead} />
      ) : (
        <>
          {bookGap === undefined ? <LadderView flow={flow} unit={unit} /> : <Missing what="Order book" gap={bookGap} />}
          {tradeGap === undefined ? (
            <TapeView flow={flow} unit={unit} empty="No trades before this time." />
          ) : (
            <Missing what="Trades" gap={tradeGap} />
          )}
        </>
      )}
    </>
  );
}

function Unread({ chunk, readings, onRead }: Pick<FlowAtCursorProps, 'chunk' | 'readings' | 'onRead'>) {
  const span = clockSpan(chunk.startMs, chunk.endMs, 'time');
  const reading = readings.get(chunk.index);
  return (
    <section aria-label="Book and trades">
      <h2>Book and trades</h2>
      {reading?.state === 'reading' ? (
        <Outline rows={14} label={`Loading book and trades for ${span}`} />
      ) : (
        <div className={styles['unread']}>
          <p>
            {reading === undefined || isRead(chunk, readings)
              ? `Not loaded yet: ${span}.`
              : `Loaded up to ${clock(reading.reachedMs, 'time')} of ${span}.`}
          </p>
          <p className={styles['soft']}>
            1 credit per 100 rows. Playback loads them automatically; pausing and seeking within loaded data is free.
          </p>
          <p>
            <SpendButton
              action={reading === undefined ? 'Load' : 'Load more'}
              busy="Loading…"
              creditsAtMost={CHUNK_CREDITS_MAX}
              isBusy={[...readings.values()].some(({ state }) => state === 'reading')}
              onPress={() => onRead(chunk)}
            />
          </p>
        </div>
      )}
    </section>
  );
}

/** Draws nothing inside a gap, since earlier data says nothing about it. */
function Missing({ what, gap }: { readonly what: string; readonly gap: Schemas['Gap'] }) {
  const [startMs, endMs] = [Date.parse(gap.start_utc), gap.end_utc === null ? null : Date.parse(gap.end_utc)];
  return (
    <section aria-label={what}>
      <h2>{what}</h2>
      <p className={styles['missing']}>
        Data missing: {words(gap.reason)} from {clock(startMs, 'time')}{' '}
        {endMs === null ? 'on, still open' : `for ${duration(endMs - startMs)}`}. <code>{gap.gap_id}</code>
      </p>
    </section>
  );
}
