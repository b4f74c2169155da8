import type { Schemas } from '@market-state/client';
import { duration, price } from '@market-state/packet-figures';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, useCallback, useEffect } from 'react';
import { useParams, Link } from 'wouter';
import { Empty, Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { SourceRibbon, sourceWords } from '../../status-components/source-ribbon';
import type { TimeSpan } from '../../charts/strip-parts';
import { StateLegend, StateMark } from '../../charts/state-mark';
import { CompositeCharts, CompositeTable } from '../../market/composites';
import { GapList, PacketTable } from '../../market/span-tables';
import market from '../../market/market.module.css';
import { PriceChart } from '../../market/price-chart';
import { seriesOf, mergePackets, seamOf } from '../../market/series';
import { BOARD_SPAN_MS, type CompactPacket, PACKET_MS, isFresh, stateAgeMs } from '../../packets/live-markets';
import { Lanes } from '../../market/lanes';
import { ContextPanel, useContextOf, FlowPanes } from './symbol-panes';
import { usePacketStream, type StreamStatus, StreamLight } from '../../packets/packet-stream';
import { noteServiceClock, serviceLeadMs, useNowMs } from '../../service/clock';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { Light } from '../../status-components/light';
import { PacketLines } from '../../market/packet-lines';
import { clock } from '../../time/clock';
import styles from './symbol.module.css';

/** Usual delay from the end of a window to its packet here; later ones count as late. */
const USUAL_MS = 3_000;

function NextPacket({ newest }: { readonly newest: CompactPacket | undefined }) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (newest === undefined) return null;
  const leftS = Math.ceil((Date.parse(newest.window_end_utc) + PACKET_MS + USUAL_MS - atMs) / 1_000);
  return <span>{leftS > 0 ? `next packet in ${leftS} s` : leftS > -15 ? 'next packet due' : `no packet for ${-leftS} s`}</span>;
}

interface SymbolHeadProps {
  readonly symbol: string;
  readonly newest: CompactPacket | undefined;
  readonly stream: StreamStatus;
}

function SymbolHead({ symbol, newest, stream }: SymbolHeadProps) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (newest === undefined)
    return (
      <header className={styles['head']}>
        <h1>{symbol}</h1>
      </header>
    );
  const fresh = isFresh(newest, atMs);
  return (
    <header className={styles['head']} data-stale={!fresh}>
      <div className={styles['title']}>
        <h1>{symbol}</h1>
        <span className={styles['mid']}>{newest.mid_price === null ? 'no book' : `${price(newest.mid_price)} USD`}</span>
        <Link href={`/packet/${newest.event_id}`} className={styles['state'] ?? ''}>
          <StateMark state={newest.state} /> {newest.state_label}
        </Link>
        <span className={styles['soft']}>for {duration(stateAgeMs(newest))}</span>
        <span className={styles['lights']}>
          <Light
            state={fresh ? (newest.response_state === 'live' ? 'live' : 'fresh') : 'stale'}
            word={fresh ? sourceWords(newest.response_state).word : `stale, as of ${clock(Date.parse(newest.window_end_utc), 'time')}`}
          />
          <StreamLight stream={stream} packets={[newest]} />
          <NextPacket newest={newest} />
        </span>
      </div>
      <PacketLines packet={newest} />
    </header>
  );
}

const HOUR_ROWS = 360;
const NONE: readonly CompactPacket[] = [];
const ALL_TIME: readonly TimeSpan[] = [{ startMs: -Infinity, endMs: Infinity }];

async function readHistory(symbol: string, span: { readonly from: string; readonly to?: string }, signal: AbortSignal) {
  const list = service.history.rows({ symbol, ...span, limit: HOUR_ROWS, view: 'compact' }, { signal });
  return readPages(list, ({ rows }) => rows as readonly CompactPacket[]);
}

/** `unread` lists the spans of the last hour that are not loaded yet. */
function useSymbolPackets(symbol: string) {
  const latest = useQuery({
    queryKey: ['latest', symbol, 'compact'],
    queryFn: ({ signal }) => read(service.latest.get({ symbol, view: 'compact' }, { signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
  const first = latest.data?.rows[0] as CompactPacket | undefined;
  const firstUtc = first?.window_end_utc ?? '';
  useEffect(() => noteServiceClock(Date.parse(firstUtc)), [firstUtc]);
  const past = useQuery({
    queryKey: ['history', symbol, firstUtc, 'compact'],
    queryFn: ({ signal }) => readHistory(symbol, { from: new Date(Date.parse(firstUtc) - BOARD_SPAN_MS).toISOString() }, signal),
    enabled: first !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [live, setLive] = useState(NONE);
  const onPacket = useCallback((packet: CompactPacket) => setLive((before) => mergePackets(before, [packet], BOARD_SPAN_MS)), []);
  const stream = usePacketStream(latest.data === undefined ? [] : [symbol], onPacket);
  const stored = past.data ?? NONE;
  const { between, unread: seam } = useSeam(symbol, seamOf(stored, live));
  const packets = useMemo(
    () => mergePackets([...(first === undefined ? NONE : [first]), ...stored, ...between], live, BOARD_SPAN_MS),
    [first, stored, between, live],
  );
  const isPastLoaded = past.data !== undefined || (latest.data !== undefined && first === undefined);
  return {
    packets,
    unread: isPastLoaded ? seam : ALL_TIME,
    stream,
    error: latest.error,
    isLoading: latest.isPending,
    retry: () => void latest.refetch(),
    past: { error: past.error, retry: () => void past.refetch() },
  };
}

/**
 * Packets are stored some time after they are streamed, so a missing span before the first live packet is requested
 * again.
 */
const SEAM_TRIES = 3;
const SEAM_EVERY_MS = 10_000;
const NO_SPANS: readonly TimeSpan[] = [];

function useSeam(symbol: string, seam: ReturnType<typeof seamOf>) {
  const queries = useQueryClient();
  const { fromMs, toMs } = seam ?? { fromMs: 0, toMs: 0 };
  const queryKey = ['history', symbol, fromMs, toMs];
  const expectedTotal = (toMs - fromMs - 1) / PACKET_MS - 1;
  const isSettled = (rows: readonly CompactPacket[] | undefined, tries: number): boolean =>
    rows !== undefined && (tries >= SEAM_TRIES || rows.length >= expectedTotal);
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readHistory(symbol, { from: String(fromMs), to: String(toMs) }, signal),
    enabled: seam !== null,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: ({ state: { data: rows, dataUpdateCount } }) => (isSettled(rows, dataUpdateCount) ? false : SEAM_EVERY_MS),
  });
  const isUnread = seam !== null && !isSettled(data, queries.getQueryState(queryKey)?.dataUpdateCount ?? 0);
  const unread = useMemo(() => (isUnread ? [{ startMs: fromMs, endMs: toMs }] : NO_SPANS), [isUnread, fromMs, toMs]);
  return { between: data ?? NONE, unread };
}

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
        <Empty why={`${symbol} has no packets yet.`}>The first one arrives within 20 s of the first book of its feed.</Empty>
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
    <div className={market['panes']}>
      <div className={market['charts']}>
        <section aria-label="Price and states">
          <h2>
            Mid price, USD, over published states{' '}
            <span className={market['soft']}>marks at the bottom: event classes by side; grey lines: recording seams</span>
          </h2>
          <PriceChart packets={packets} series={series} {...span} knownToMs={endMs} unread={unread} gaps={gaps} />
        </section>
        <section aria-label="Composites">
          <h2>
            Composite scores, 0–1{' '}
            <span className={market['soft']}>
              thresholds in force at the time: watch dashed, elevated dotted
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
      <div className={market['sides']}>
        <FlowPanes symbol={symbol} />
        <ContextPanel {...context} />
      </div>
    </div>
  );
}
