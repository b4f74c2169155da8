import type { Schemas } from '@market-state/client';
import { duration } from '@market-state/packet-figures';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, useCallback, useEffect } from 'react';
import { useParams, Link } from 'wouter';
import { Empty, ProblemNotice, Light } from '../../status-components/conditions';
import { SourceRibbon, sourceWords } from '../../status-components/source-ribbon';
import type { TimeSpan } from '../../charts/strip-parts';
import { StateLegend, StateMark } from '../../charts/state-mark';
import { CompositeCharts, CompositeTable } from '../../market/composites';
import { GapList, PacketTable } from '../../market/span-tables';
import market from '../../market/market.module.css';
import { priceText } from '../../market/numbers';
import { OpeningCost } from '../../controls/opening-cost';
import { chartCreditsMax, readHistory, URL_RANGE } from './chart-data';
import { MarketChart } from './market-chart';
import { mergePackets, seamOf } from '../../market/series';
import { useCatalog } from '../../service/use-catalog';
import { marketWords, symbolOf, venueWords } from '../../packets/market-name';
import { readLatest, usePacketStream, type StreamStatus, StreamLight } from '../../packets/packet-stream';
import { BOARD_SPAN_MS, type CompactPacket, PACKET_MS, isFresh, stateAgeMs } from '../../packets/live-markets';
import { Lanes } from '../../market/lanes';
import { ContextPanel, contextCreditsMax, useContextOf, FlowPanes } from './symbol-panes';
import { noteServiceClock, serviceLeadMs, useNowMs } from '../../service/clock';
import { service } from '../../service/client';
import { PacketLines } from '../../market/packet-lines';
import { clock } from '../../time/clock';
import { useUrlState } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import styles from './symbol.module.css';

/** Usual delay from the end of a window to its packet here; later ones count as late. */
const USUAL_MS = 3_000;

function NextPacket({ newest }: { readonly newest: CompactPacket | undefined }) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (newest === undefined) return null;
  const leftS = Math.ceil((Date.parse(newest.window_end_utc) + PACKET_MS + USUAL_MS - atMs) / 1_000);
  return <span>{leftS > 0 ? `next packet in ${leftS} s` : leftS > -15 ? 'next packet due' : `no packet for ${-leftS} s`}</span>;
}

/** Shown if the symbol has several. */
function Venues({ market: name }: { readonly market: string }) {
  const { data: catalog } = useCatalog();
  const own = (catalog?.symbols ?? []).filter((each) => symbolOf(each.symbol) === symbolOf(name));
  if (own.length < 2) return null;
  return (
    <nav aria-label="Venues" className={styles['venues']}>
      {own.map(({ symbol, venue }) => (
        <Link key={symbol} href={`/live/${symbol}`} aria-current={symbol === name ? 'page' : undefined}>
          {venueWords(venue)}
        </Link>
      ))}
    </nav>
  );
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
        <h1>{symbolOf(symbol)}</h1>
        <Venues market={symbol} />
      </header>
    );
  const fresh = isFresh(newest, atMs);
  return (
    <header className={styles['head']} data-stale={!fresh}>
      <div className={styles['title']}>
        <h1>{symbolOf(symbol)}</h1>
        <Venues market={symbol} />
        <span className={styles['mid']}>{newest.mid_price === null ? 'no book' : `${priceText(newest.mid_price)} USD`}</span>
        <Link href={`/packet/${newest.event_id}`} className={styles['state'] ?? ''}>
          <StateMark state={newest.state} /> {newest.state_label}
        </Link>
        <span className={styles['soft']}>for {duration(stateAgeMs(newest))}</span>
        <span className={styles['lights']}>
          <Light
            state={fresh ? (newest.response_state === 'live' ? 'live' : 'fresh') : 'stale'}
            word={fresh ? sourceWords(newest.response_state).word : `stale, as of ${clock(newest.window_end_utc, 'time')}`}
          />
          <StreamLight stream={stream} packets={[newest]} />
          <NextPacket newest={newest} />
        </span>
      </div>
      <PacketLines packet={newest} />
    </header>
  );
}

const NONE: readonly CompactPacket[] = [];
const ALL_TIME: readonly TimeSpan[] = [{ startMs: -Infinity, endMs: Infinity }];

const NEWEST_CREDITS_MAX = service.creditsAtMost('getLatest', { symbol: 'BTCUSD-PERP', view: 'compact' }) ?? 0;

/** A clock or a feed further away than this does not decide which hour to load. */
const AWAY_MS = 10 * 60_000;

/** `unread` lists the spans of the last hour that are not loaded yet. */
function useSymbolPackets(symbol: string) {
  const latest = useQuery({
    queryKey: ['latest', symbol, 'compact'],
    queryFn: ({ signal }) => readLatest(symbol, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  const first = latest.data?.rows[0];
  const firstMs = first === undefined ? null : Date.parse(first.window_end_utc);
  useEffect(() => (firstMs === null ? undefined : noteServiceClock(firstMs)), [firstMs]);
  // Requested along with the newest packet, so that the chart does not wait for it.
  const [openedMs] = useState(() => Date.now());
  const newestMs = firstMs !== null && Math.abs(firstMs - openedMs) > AWAY_MS ? firstMs : openedMs;
  const past = useQuery({
    queryKey: ['history', symbol, newestMs, 'compact'],
    queryFn: ({ signal }) => readHistory(symbol, { from: new Date(newestMs - BOARD_SPAN_MS - PACKET_MS).toISOString() }, signal),
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
  const isPastLoaded = past.data !== undefined;
  return {
    packets,
    unread: isPastLoaded ? seam : ALL_TIME,
    openedMs,
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
  const [range] = useUrlState('range', URL_RANGE);
  const { packets, unread, openedMs, stream, error, isLoading, retry, past } = useSymbolPackets(symbol);
  if (error !== null) return <ProblemNotice error={error} retry={retry} />;
  const newest = packets.at(-1);
  return (
    <>
      <SourceRibbon states={newest === undefined ? [] : [newest.response_state]} />
      <SymbolHead symbol={symbol} newest={newest} stream={stream} />
      <p className={sheet['note']}>
        <OpeningCost credits={NEWEST_CREDITS_MAX + contextCreditsMax(symbol) + chartCreditsMax(symbol, range)} isFollowed />
      </p>
      <ProblemNotice error={stream.failure} retry={stream.goOn} />
      <ProblemNotice error={past.error} retry={past.retry} />
      {newest === undefined && !isLoading ? (
        <Empty why={`${marketWords(symbol)} has no packets yet.`}>The first one arrives within 20 s of the first book of its feed.</Empty>
      ) : null}
      <Panes symbol={symbol} packets={packets} unread={unread} openedMs={openedMs} />
    </>
  );
}

const TABLE_ROWS = 30;
const NO_GAPS: readonly Schemas['Gap'][] = [];

interface PanesProps {
  readonly symbol: string;
  readonly packets: readonly CompactPacket[];
  readonly unread: readonly TimeSpan[];
  readonly openedMs: number;
}

function Panes({ symbol, packets, unread, openedMs }: PanesProps) {
  const fromMs = openedMs - BOARD_SPAN_MS;
  const context = useContextOf(symbol, fromMs);
  const gaps = context.gaps.data ?? NO_GAPS;
  const newest = packets.at(-1);
  const row = context.newest.data?.rows[0];
  return (
    <div className={market['panes']}>
      <div className={market['charts']}>
        <MarketChart symbol={symbol} live={packets} liveUnread={unread} gaps={gaps} openedMs={openedMs}>
          {({ series, span }) => (
            <section aria-label="Composites" className={styles['composites']}>
              <h2>
                Composite scores, 0–1 <span className={market['soft']}>thresholds in force at the time: watch dashed, elevated dotted</span>
              </h2>
              <CompositeCharts series={series} newest={newest} {...span} spanWords="over the shown span" />
              <CompositeTable packets={packets} rowsMax={TABLE_ROWS} />
            </section>
          )}
        </MarketChart>
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
