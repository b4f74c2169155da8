import type { Schemas, Params } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useEffect } from 'react';
import { Link } from 'wouter';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { OpeningCost } from '../../controls/opening-cost';
import { SpanChoice } from '../../controls/time-field';
import type { Span } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import { type CompactPacket, PACKET_MS } from '../../packets/live-markets';
import { clockSpanBelow } from '../../time/clock';
import {
  type Chunk,
  type ChunkReading,
  type Readings,
  chunkAt,
  chunksOf,
  chunkToRead,
  isRead,
  readableTo,
  packetWords,
  receiptWords,
} from './chunks';
import styles from './replay.module.css';
import { StateLegend } from '../../charts/state-mark';
import { GapList, PacketTable } from '../../market/span-tables';
import market from '../../market/market.module.css';
import { Announcer } from '../../packets/announcer';
import { useRunningCost } from '../../service/meter';
import { isLoss, LONGEST_MS, useReplayAddress, packetsUpTo, stepFrom, useReplayKeys } from './cursor';
import { FlowAtCursor, PacketAtCursor, PacketPanes } from './cursor-panes';
import { Transport, type Player, usePlayer } from './transport';
import { CHUNK_CREDITS_MAX, useReadings } from './use-readings';
import { service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { marketNamed, marketWords } from '../../packets/market-name';

const GAPS_MAX = 100;
const iso = (ms: number): string => new Date(ms).toISOString();

/** Windows are counted by their ends, so the packet that closes the last window is included. */
const historyOf = ({ symbol, fromMs, toMs }: Span) =>
  ({
    symbol,
    from: iso(fromMs),
    to: iso(toMs + 1),
    limit: Math.ceil((toMs - fromMs) / PACKET_MS) + 1,
    view: 'compact',
  }) satisfies Params<'listHistory'>;
const gapsOf = ({ symbol, fromMs, toMs }: Span) =>
  ({ symbol, from: iso(fromMs), to: iso(toMs), limit: GAPS_MAX }) satisfies Params<'listGaps'>;

function overviewCreditsAtMost(span: Span): number {
  return (service.creditsAtMost('listHistory', historyOf(span)) ?? 0) + (service.creditsAtMost('listGaps', gapsOf(span)) ?? 0);
}

function useOverview(span: Span) {
  const { symbol, fromMs, toMs } = span;
  const packets = useQuery({
    queryKey: ['replay', 'packets', symbol, fromMs, toMs],
    queryFn: ({ signal }) =>
      readPages(service.history.rows(historyOf(span), { signal }), ({ rows }) => (rows as readonly CompactPacket[]).map(marketNamed)),
    staleTime: Infinity,
    gcTime: 0,
  });
  const gaps = useQuery({
    queryKey: ['replay', 'gaps', symbol, fromMs, toMs],
    queryFn: ({ signal }) => readPages(service.gaps.rows(gapsOf(span), { signal }), ({ rows }) => rows),
    staleTime: Infinity,
    gcTime: 0,
  });
  return { packets, gaps };
}

interface ReplayViewProps {
  readonly span: Span;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly address: Pick<ReturnType<typeof useReplayAddress>, 'atMs' | 'setAt' | 'speed' | 'setSpeed'>;
}

function ReplayView({ span, packets, gaps, address }: ReplayViewProps) {
  const chunks = useMemo(() => chunksOf(span), [span.fromMs, span.toMs]);
  const { readings, read } = useReadings(span.symbol);
  const speed = Number(address.speed);
  const player = usePlayer({ bounds: span, startMs: address.atMs, speed, readableTo: (ms) => readableTo(chunks, readings, ms) });
  const { atMs, isPlaying, pause, toggle, seek } = player;
  useAddressOf(player, address.setAt);
  useReplayKeys((action) => {
    if (action === 'toggle') toggle();
    else if ('seconds' in action) seek(atMs + 1_000 * action.seconds);
    else seek(stepFrom(packets, atMs, action.packet, span));
  });
  const chunk = chunkAt(chunks, atMs);
  const reading = chunk === undefined ? undefined : readings.get(chunk.index);
  const isStuck =
    chunk !== undefined && reading !== undefined && reading.state !== 'reading' && atMs >= reading.reachedMs && !isRead(chunk, readings);
  useEffect(() => {
    if (!isPlaying) return;
    const next = chunkToRead(chunks, readings, atMs, speed);
    if (next !== null) read(next);
    else if (isStuck) pause();
  }, [isPlaying, chunks, readings, atMs, speed, read, isStuck, pause]);
  const unread = chunks.filter((each) => !isRead(each, readings)).length;
  useRunningCost('replay', isPlaying && unread > 0 ? unread * CHUNK_CREDITS_MAX : null);

  const total = packetsUpTo(packets, atMs).length;
  const shown = useMemo(() => packets.slice(0, total), [packets, total]);
  const losses = useMemo(() => gaps.filter((gap) => gap.kind === 'seam' || isLoss(gap)), [gaps]);
  const newest = shown.at(-1);
  return (
    <>
      <Transport
        span={span}
        player={player}
        packets={packets}
        gaps={losses}
        chunks={chunks}
        readings={readings}
        speed={address.speed}
        onSpeed={address.setSpeed}
        newest={newest}
      />
      <PacketAtCursor packet={newest} atMs={atMs} />
      {newest === undefined ? null : <Announcer rows={[{ symbol: span.symbol, packet: newest }]} />}
      <div className={market['panes']}>
        <div className={market['charts']}>
          <PacketPanes span={span} packets={shown} gaps={losses} atMs={atMs} />
          <StateLegend />
          <Receipts chunks={chunks} readings={readings} packets={packets} />
          <PacketTable packets={shown} rowsMax={packets.length} />
          <GapList gaps={gaps} />
        </div>
        <div className={market['sides']}>
          {chunk === undefined ? null : (
            <FlowAtCursor symbol={span.symbol} chunks={chunks} chunk={chunk} readings={readings} gaps={gaps} atMs={atMs} onRead={read} />
          )}
        </div>
      </div>
    </>
  );
}

/** Rest time before the cursor is written to the URL: browsers limit URL updates. */
const REST_MS = 300;

function useAddressOf({ atMs, isPlaying }: Player, setAt: (ms: number) => void): void {
  useEffect(() => {
    if (isPlaying) return undefined;
    const timer = setTimeout(() => setAt(Math.round(atMs)), REST_MS);
    return () => clearTimeout(timer);
  }, [atMs, isPlaying, setAt]);
}

interface ReceiptsProps {
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly packets: readonly CompactPacket[];
}

function Receipts({ chunks, readings, packets }: ReceiptsProps) {
  return (
    <section aria-label="Completeness of chunks">
      <h2>
        Completeness <span className={styles['soft']}>the receipt that closed each chunk's replay</span>
      </h2>
      <ul className={styles['receipts']}>
        {chunks.map((chunk) => (
          <li key={chunk.index}>
            <span>{clockSpanBelow(chunk.startMs, chunk.endMs, 'time')}</span>
            <Receipt chunk={chunk} reading={readings.get(chunk.index)} packets={packets} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Receipt({
  chunk,
  reading,
  packets,
}: { readonly chunk: Chunk; readonly reading: ChunkReading | undefined } & Pick<ReceiptsProps, 'packets'>) {
  if (reading === undefined) return <span className={styles['soft']}>not loaded</span>;
  const { word, sentence } = receiptWords(reading);
  if (reading.state === 'reading') return <span className={styles['soft']}>{word}…</span>;
  return (
    <>
      <b>{word}</b>
      <span>
        {sentence} {packetWords(chunk, reading, packets)}; {counted(reading.credits, 'credit')}.
        {reading.receipt === null ? null : (
          <details>
            <summary>SHA-256 of its rows</summary>
            <code>{reading.receipt.rows_sha256}</code>
            {reading.receipt.gap_ids.map((id) => (
              <code key={id}>{id}</code>
            ))}
          </details>
        )}
      </span>
    </>
  );
}

export default function ReplayPage() {
  const address = useReplayAddress();
  const { span, setSpan } = address;
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Replay</h1>
        <span className={sheet['soft']}>what was known when, in exchange time; press space to play, [ ] to step by packet</span>
        <OpeningCost credits={overviewCreditsAtMost(span)} />
        <Link href={`/live/${span.symbol}`} className={sheet['push'] ?? ''}>
          Jump to live
        </Link>
      </div>
      <SpanChoice
        span={span}
        onChoose={setSpan}
        longestMs={LONGEST_MS}
        action="Show"
        note="at most an hour; book and trades are charged during playback"
      />
      <Overview key={`${span.symbol} ${span.fromMs} ${span.toMs}`} span={span} address={address} />
    </>
  );
}

function Overview({ span, address }: { readonly span: Span; readonly address: ReturnType<typeof useReplayAddress> }) {
  const { packets, gaps } = useOverview(span);
  const states = useMemo(() => (packets.data ?? []).map(({ response_state: state }) => state), [packets.data]);
  const error = packets.error ?? gaps.error;
  if (error !== null)
    return (
      <ProblemNotice
        error={error}
        retry={() => {
          if (packets.error !== null) void packets.refetch();
          if (gaps.error !== null) void gaps.refetch();
        }}
      />
    );
  if (packets.data === undefined || gaps.data === undefined)
    return <Outline rows={10} label={`Loading packets of ${marketWords(span.symbol)}`} />;
  return (
    <>
      <SourceRibbon states={states} />
      {packets.data.length === 0 ? (
        <Empty why={`${marketWords(span.symbol)} has no packets in this span.`}>
          Choose another span, or check the status of its feed: book and trades may still be available.
        </Empty>
      ) : null}
      <ReplayView span={span} packets={packets.data} gaps={gaps.data} address={address} />
    </>
  );
}
