import type { Schemas } from '@market-state/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useLocation, Link } from 'wouter';
import type { TimeSpan } from '../../charts/strip-parts';
import { windowEndAt, type Candle } from '../../market/candles';
import { PriceChart } from '../../market/price-chart';
import { mergePackets, type Series, seriesOf } from '../../market/series';
import { BOARD_SPAN_MS, type CompactPacket, PACKET_MS, stateAgeMs } from '../../packets/live-markets';
import { urlWord, useUrlState } from '../../service/url-state';
import { useCatalog } from '../../service/use-catalog';
import { ProblemNotice } from '../../status-components/conditions';
import {
  oldestPacketMs,
  PACKETS_SPAN_MAX_MS,
  RANGE_NAMES,
  RANGES,
  URL_RANGE,
  SPAN_MAX_MS,
  SPAN_MIN_MS,
  useCandles,
  useHours,
  useSevere,
  readHistory,
} from './chart-data';
import styles from './symbol.module.css';
import { words, duration } from '@market-state/packet-figures';
import { StateMark } from '../../charts/state-mark';
import { priceText } from '../../market/numbers';
import { COMPOSITE_NAMES, severityText } from '../../packets/words';
import { clock } from '../../time/clock';
import { useMutation } from '@tanstack/react-query';

const endMs = ({ window_end_utc: end }: CompactPacket): number => Date.parse(end);

interface Change {
  /** First packet in the new state. */
  readonly packet: CompactPacket;
  /** The packet before it; undefined if it is not stored. */
  readonly before: CompactPacket | undefined;
}

/** Packets of two adjoining windows, already loaded or from the service. */
async function pairAt(symbol: string, atMs: number, loaded: readonly CompactPacket[]): Promise<readonly (CompactPacket | undefined)[]> {
  const find = (rows: readonly CompactPacket[]) => [atMs - PACKET_MS, atMs].map((ms) => rows.find((row) => endMs(row) === ms));
  const known = find(loaded);
  if (known.every((row) => row !== undefined)) return known;
  return find(await readHistory(symbol, { from: String(atMs - PACKET_MS), to: String(atMs + 1) }));
}

/** A packet reports the age of its state, so the change that began it is found without a search. */
async function changeBefore(symbol: string, from: CompactPacket, loaded: readonly CompactPacket[]): Promise<Change | null> {
  const [before, packet] = await pairAt(symbol, endMs(from) - stateAgeMs(from) + PACKET_MS, loaded);
  return packet === undefined ? null : { packet, before };
}

interface ChangesRequest {
  readonly symbol: string;
  readonly packets: readonly CompactPacket[];
  readonly onFound: (ms: number) => void;
}

/** Jumps from change to change, newest first. */
function useChanges({ symbol, packets, onFound }: ChangesRequest) {
  const found = useMutation({
    mutationFn: (from: CompactPacket) => changeBefore(symbol, from, packets),
    onSuccess: (change) => change === null || onFound(endMs(change.packet)),
  });
  const newest = packets.at(-1);
  const earlier = found.data?.before;
  return {
    change: found.data,
    error: found.error,
    isBusy: found.isPending,
    last: newest === undefined ? undefined : () => found.mutate(newest),
    previous: earlier === undefined ? undefined : () => found.mutate(earlier),
    close: found.reset,
  };
}

/** Shows the reasons of the packet that published the change. */
function ChangeCard({ changes: { change, error, close } }: { readonly changes: ReturnType<typeof useChanges> }) {
  if (error !== null) return <ProblemNotice error={error} retry={close} />;
  if (change === undefined) return null;
  if (change === null) return <p className={styles['change']}>The packet of this change is no longer stored.</p>;
  const { packet, before } = change;
  return (
    <section className={styles['change']} aria-label="State change">
      <p>
        <b>{clock(endMs(packet))}</b>{' '}
        {before === undefined ? null : (
          <>
            <StateMark state={before.state} /> {before.state_label} for {duration(stateAgeMs(before))}, then{' '}
          </>
        )}
        <StateMark state={packet.state} /> <b>{packet.state_label}</b>
      </p>
      <p>{packet.headline}</p>
      <dl>
        <dt>for</dt>
        <dd>{packet.one_reason}</dd>
        <dt>against</dt>
        <dd>{packet.one_against}</dd>
        <dt>context</dt>
        <dd>
          {words(packet.event_class)}; severity {severityText(packet.severity)}; confidence {packet.confidence.score.toFixed(2)}
        </dd>
      </dl>
      <p className={styles['toolbar']}>
        <Link href={`/packet/${packet.event_id}`}>Open this packet</Link>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </section>
  );
}

const HEIGHT_PX = 360;
const CANDLES_MAX = { line: 700, candles: 400 } as const;
const DRAWINGS = ['line', 'candles'] as const;
const URL_DRAWING = urlWord(DRAWINGS, 'line');
const ZOOM = 1.6;
const PAN = 0.5;
/** A jump shows this much around its instant. */
const AROUND_MS = 10 * 60_000;
const RIGHT_SHARE = 0.02;

/** The shown span: the newest part, which moves with each packet, or a chosen one. */
function useView(newestMs: number) {
  const [range, chooseRange] = useUrlState('range', URL_RANGE);
  const [chosen, choose] = useState<TimeSpan | null>(null);
  const { lengthMs } = RANGES[range];
  const lastMs = newestMs + RIGHT_SHARE * lengthMs;
  const span = useMemo(() => chosen ?? { startMs: lastMs - lengthMs, endMs: lastMs }, [chosen, lastMs, lengthMs]);
  const show = useCallback(
    (startMs: number, endMs: number): void => {
      const wideMs = Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, endMs - startMs));
      const middleMs = (startMs + endMs) / 2;
      const rightMs = Math.min(middleMs + wideMs / 2, newestMs + wideMs / 4);
      choose({ startMs: rightMs - wideMs, endMs: rightMs });
    },
    [newestMs],
  );
  return { range, span, show, isFollowing: chosen === null, follow: () => choose(null), chooseRange };
}

interface MarketChartProps {
  readonly symbol: string;
  /** Packets of the last hour, kept current. */
  readonly live: readonly CompactPacket[];
  readonly liveUnread: readonly TimeSpan[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly openedMs: number;
  /** Content below the chart for the shown span; for a span without packets, for the last hour. */
  readonly children: (shown: { readonly packets: readonly CompactPacket[]; readonly series: Series; readonly span: TimeSpan }) => ReactNode;
}

export function MarketChart({ symbol, live, liveUnread, gaps, openedMs, children }: MarketChartProps) {
  const [, open] = useLocation();
  const newest = live.at(-1);
  const newestMs = newest === undefined ? openedMs : Date.parse(newest.window_end_utc);
  const { range, span, show, isFollowing, follow, chooseRange } = useView(newestMs);
  const [drawing, setDrawing] = useUrlState('chart', URL_DRAWING);
  const [atMs, setAtMs] = useState<number | null>(null);
  const lengthMs = span.endMs - span.startMs;
  const isLong = lengthMs > PACKETS_SPAN_MAX_MS;
  const { data: catalog } = useCatalog();
  const hours = useHours({ symbol, span, untilMs: newestMs - BOARD_SPAN_MS, oldestMs: oldestPacketMs(catalog, symbol) });
  const candles = useCandles(symbol, span, CANDLES_MAX[drawing], isLong || drawing === 'candles');
  const severe = useSevere(symbol, span, isLong);
  const packets = useMemo(() => mergePackets(hours.packets, live, Infinity), [hours.packets, live]);
  const unread = useMemo(() => [...hours.unread, ...liveUnread], [hours.unread, liveUnread]);
  const series = useMemo(() => seriesOf(packets, gaps), [packets, gaps]);
  const byEnd = useMemo(() => new Map(packets.map((packet) => [Date.parse(packet.window_end_utc), packet])), [packets]);
  const shownPackets = isLong ? (severe.data ?? NO_PACKETS) : packets;
  const events = useMemo(() => eventsOf(shownPackets), [shownPackets]);
  const changes = useChanges({ symbol, packets, onFound: (ms) => show(ms - AROUND_MS, ms + AROUND_MS) });
  const pick = (ms: number): void => {
    const packet = byEnd.get(windowEndAt(ms)) ?? nearest(shownPackets, ms, lengthMs / 200);
    if (packet !== undefined) open(`/packet/${packet.event_id}`);
    else if (isLong) show(ms - 3_600_000, ms + 3_600_000);
  };
  const zoom = (factor: number): void => show(span.startMs + (lengthMs * (1 - factor)) / 2, span.endMs - (lengthMs * (1 - factor)) / 2);
  const pan = (share: number): void => show(span.startMs + share * lengthMs, span.endMs + share * lengthMs);
  const moves = [
    ['Earlier', '◂', () => pan(-PAN)],
    ['Zoom out', '−', () => zoom(ZOOM)],
    ['Zoom in', '+', () => zoom(1 / ZOOM)],
    ['Later', '▸', () => pan(PAN)],
  ] as const;
  const jumps = [
    ['Last change', changes.last],
    ['Previous change', changes.previous],
  ] as const;
  const drawn = isLong || drawing === 'candles' ? candles.data : undefined;
  const isEmpty = isLong || drawing === 'candles' ? candles.data === undefined : live.length < 2 && unread.length > 0;
  const failure = hours.error ?? candles.error ?? severe.error;
  return (
    <section aria-label="Price and states">
      <div className={styles['toolbar']}>
        <Group label="Range">
          {RANGE_NAMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={isFollowing && name === range}
              onClick={() => {
                chooseRange(name);
                follow();
              }}
            >
              {RANGES[name].title}
            </button>
          ))}
        </Group>
        <Group label="Drawing">
          {DRAWINGS.map((name) => (
            <button key={name} type="button" aria-pressed={name === drawing} onClick={() => setDrawing(name)}>
              {name === 'line' ? 'Line' : 'Candles'}
            </button>
          ))}
        </Group>
        <Group label="Move">
          {moves.map(([name, sign, move]) => (
            <button key={name} type="button" aria-label={name} onClick={move}>
              {sign}
            </button>
          ))}
          <button type="button" disabled={isFollowing} onClick={follow}>
            Newest
          </button>
        </Group>
        <Group label="State changes">
          {jumps.map(([name, jump]) => (
            <button key={name} type="button" disabled={jump === undefined || changes.isBusy} onClick={jump}>
              {name}
            </button>
          ))}
        </Group>
      </div>
      <Readout atMs={atMs} byEnd={byEnd} newest={newest} candles={drawn} />
      <ProblemNotice error={failure} />
      {isEmpty ? (
        <div className={styles['skeleton']} role="status" aria-label="Loading the chart" style={{ height: HEIGHT_PX }} />
      ) : (
        <PriceChart
          packets={isLong ? NO_PACKETS : packets}
          series={series}
          {...span}
          spanWords={`of ${RANGES[range].title}`}
          knownToMs={newestMs}
          unread={unread}
          gaps={gaps}
          height={HEIGHT_PX}
          candles={drawn}
          isLine={drawing === 'line'}
          events={events}
          hasPackets={!isLong}
          input={{ onCursor: setAtMs, onPick: pick, onSpan: show }}
        />
      )}
      <p className={styles['soft']}>
        {isLong
          ? `${drawing === 'line' ? 'Closes' : 'Candles'} of ${candles.tf}; diamonds: severe events. Zoom in to 4 hours or less to see states.`
          : `${drawn === undefined ? 'Mid price' : `Candles of ${candles.tf}, hollow if the price rose,`} over published states; bottom marks: event classes by side; diamonds: severe events; grey lines: recording seams.`}{' '}
        Wheel zooms, drag pans, click opens the packet.
      </p>
      <ChangeCard changes={changes} />
      {children({ packets, series, span: isLong ? { startMs: newestMs - BOARD_SPAN_MS, endMs: newestMs } : span })}
    </section>
  );
}

function Group({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={label} className={styles['choices']}>
      {children}
    </div>
  );
}

const NO_PACKETS: readonly CompactPacket[] = [];
const SEVERE = new Set(['high_context', 'critical_context']);

/** First packet of each run of severe ones, as instants. */
function eventsOf(packets: readonly CompactPacket[]): readonly number[] {
  const severe = packets.filter(({ severity }) => SEVERE.has(severity.severity_class)).map(({ window_end_utc: end }) => Date.parse(end));
  const ends = new Set(severe);
  return severe.filter((ms) => !ends.has(ms - 10_000));
}

function nearest(packets: readonly CompactPacket[], ms: number, withinMs: number): CompactPacket | undefined {
  const distance = ({ window_end_utc: end }: CompactPacket): number => Math.abs(Date.parse(end) - ms);
  const [found] = packets.filter((packet) => distance(packet) <= withinMs).sort((a, b) => distance(a) - distance(b));
  return found;
}

interface ReadoutProps {
  /** Instant under the cursor; null shows the newest values. */
  readonly atMs: number | null;
  readonly byEnd: ReadonlyMap<number, CompactPacket>;
  readonly newest: CompactPacket | undefined;
  readonly candles: readonly Candle[] | undefined;
}

/** Price, time, state and scores at the cursor, in the same places whatever is known there. */
function Readout({ atMs, byEnd, newest, candles }: ReadoutProps) {
  const packet = atMs === null ? newest : byEnd.get(windowEndAt(atMs));
  const candle = atMs === null ? candles?.at(-1) : candles?.find(({ openMs, closeMs }) => openMs <= atMs && atMs < closeMs);
  const shownMs = packet !== undefined ? Date.parse(packet.window_end_utc) : (candle?.openMs ?? atMs);
  return (
    <div className={styles['readout']}>
      <p>
        <b>{shownMs === null ? '' : clock(Math.round(shownMs))}</b>
        {candle === undefined ? (
          <span>
            mid <b>{packet === undefined || packet.mid_price === null ? '–' : priceText(packet.mid_price)}</b>
          </span>
        ) : (
          (['open', 'high', 'low', 'close'] as const).map((name) => (
            <span key={name}>
              {name} <b>{priceText(candle[name])}</b>
            </span>
          ))
        )}
        {packet === undefined ? (
          <span>no packet loaded here</span>
        ) : (
          <span className={styles['reading']}>
            <StateMark state={packet.state} /> {packet.state_label}, {words(packet.event_class)}
          </span>
        )}
      </p>
      <p>
        {COMPOSITE_NAMES.map(([name, title]) => {
          const score = packet?.composites[name].score ?? null;
          return (
            <span key={name}>
              {title.toLowerCase()} <b>{score === null ? '–' : score.toFixed(2)}</b>
            </span>
          );
        })}
      </p>
    </div>
  );
}
