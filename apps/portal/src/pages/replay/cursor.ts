import type { Schemas } from '@market-state/client';
import { usePageKeys } from '../../controls/keys';
import { type FlowBook, type FlowState, TAPE_SPAN_MS, type TapeTrade } from '../../market/flow-state';
import { type CompactPacket, PACKET_MS } from '../../packets/live-markets';
import { type Chunk, chunkAt, isRead, type Readings, CHUNK_MS } from './chunks';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { readSpan, type Span, urlTime, withSpan, urlWord, useUrlState } from '../../service/url-state';

type ReplayAction = 'toggle' | { readonly packet: -1 | 1 } | { readonly seconds: -1 | 1 };

const ACTIONS: Readonly<Record<string, ReplayAction>> = {
  ' ': 'toggle',
  ArrowLeft: { seconds: -1 },
  ArrowRight: { seconds: 1 },
  '[': { packet: -1 },
  ']': { packet: 1 },
};

/** Focused elements that handle a key themselves. The seek bar needs none of these keys. */
const TAKES: Readonly<Record<'toggle' | 'seconds' | 'packet', string>> = {
  toggle: 'button, a, summary, select, textarea, input:not([type="range"])',
  seconds: 'select, textarea, input:not([type="range"]), [tabindex="0"]',
  packet: 'select, textarea, input:not([type="range"])',
};

/** Null if the key is not for the replay. @param isAccepted true if the focused element matches the selector */
export function replayAction(key: string, isAccepted: (selector: string) => boolean): ReplayAction | null {
  const action = ACTIONS[key];
  if (action === undefined) return null;
  const kind = action === 'toggle' ? 'toggle' : 'seconds' in action ? 'seconds' : 'packet';
  return isAccepted(TAKES[kind]) ? null : action;
}

export function useReplayKeys(act: (action: ReplayAction) => void): void {
  usePageKeys((pressed) => {
    const { key, target } = pressed;
    const action = replayAction(key, (selector) => target instanceof Element && target.closest(selector) !== null);
    if (action === null) return;
    pressed.preventDefault();
    act(action);
  });
}

export const SPEEDS = ['1', '2', '5', '10', '20', '50', '100'] as const;

/** Longer intervals between frames are cut, so that a hidden page does not jump when it is shown again. */
const FRAME_MAX_MS = 1_500;

/** Waits at the end of the data read. */
export function advance(atMs: number, elapsedMs: number, speed: number, readableToMs: number): number {
  const nextMs = atMs + Math.min(FRAME_MAX_MS, Math.max(0, elapsedMs)) * speed;
  return Math.max(atMs, Math.min(nextMs, readableToMs));
}

/** Trades shown however old they are. */
const TAPE_MIN = 22;

/** Rows at or before an instant, by binary search. */
export function countUpTo(timesMs: (index: number) => number, total: number, ms: number): number {
  let [low, high] = [0, total];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs(middle) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

const upTo = <Row extends { readonly timeMs: number }>(rows: readonly Row[], ms: number): number =>
  countUpTo((index) => rows[index]?.timeMs ?? 0, rows.length, ms);

/** Null if they were not read. */
export function flowAt(
  chunks: readonly Chunk[],
  readings: Readings,
  ms: number,
): Pick<FlowState, 'bids' | 'asks' | 'bookMs' | 'trades'> | null {
  const chunk = chunkAt(chunks, ms);
  if (chunk === undefined) return null;
  const { index: here, startMs } = chunk;
  const reachedMs = readings.get(here)?.reachedMs ?? startMs;
  // The first unread instant of a chunk is the last of the previous one.
  const before = chunks[here - 1];
  if (ms > reachedMs || (reachedMs === startMs && (before === undefined || !isRead(before, readings)))) return null;
  let book: FlowBook | undefined;
  let trades: readonly TapeTrade[] = [];
  // Earlier chunks supply the state at the start of this one.
  for (let index = here; index >= 0 && (book === undefined || !isTape(trades, ms)); index -= 1) {
    const rows = readings.get(index)?.rows;
    if (rows === undefined) {
      if (index === here) continue;
      break;
    }
    book ??= rows.books[upTo(rows.books, ms) - 1];
    const total = upTo(rows.trades, ms);
    const firstMs = countUpTo((at) => rows.trades[at]?.timeMs ?? 0, rows.trades.length, ms - TAPE_SPAN_MS);
    trades = [...trades, ...rows.trades.slice(Math.max(0, Math.min(firstMs, total - TAPE_MIN)), total).reverse()];
  }
  return { bids: book?.bids ?? [], asks: book?.asks ?? [], bookMs: book?.timeMs ?? null, trades };
}

function isTape(trades: readonly TapeTrade[], ms: number): boolean {
  return trades.length >= TAPE_MIN && (trades.at(-1)?.timeMs ?? ms) <= ms - TAPE_SPAN_MS;
}

/** Packets whose windows had closed by `ms`. */
export function packetsUpTo(packets: readonly CompactPacket[], ms: number): readonly CompactPacket[] {
  return packets.slice(
    0,
    countUpTo((index) => endOf(packets[index]), packets.length, ms),
  );
}

export function windowsClosedAt(ms: number): number {
  return Math.floor(ms / PACKET_MS) * PACKET_MS;
}

/** Falls back to the bound of the span. */
export function stepFrom(
  packets: readonly CompactPacket[],
  ms: number,
  by: -1 | 1,
  bounds: { readonly fromMs: number; readonly toMs: number },
): number {
  const total = countUpTo((index) => endOf(packets[index]), packets.length, by === 1 ? ms : ms - 1);
  const packet = packets[by === 1 ? total : total - 1];
  return packet === undefined ? (by === 1 ? bounds.toMs : bounds.fromMs) : clamp(endOf(packet), bounds);
}

export function clamp(ms: number, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return Math.min(toMs, Math.max(fromMs, ms));
}

/** Undefined if the channel is complete then. */
export function gapAt(gaps: readonly Schemas['Gap'][], channel: 'book' | 'trades', ms: number): Schemas['Gap'] | undefined {
  return gaps.find(
    (gap) =>
      isLoss(gap) &&
      (gap.channel === null || gap.channel === channel) &&
      ms > Date.parse(gap.start_utc) &&
      (gap.end_utc === null || ms < Date.parse(gap.end_utc)),
  );
}

/** Rows are or may be missing. */
export function isLoss({ kind, resolution }: Schemas['Gap']): boolean {
  return kind === 'gap' && resolution !== 'withdrawn';
}

function endOf(packet: CompactPacket | undefined): number {
  return Date.parse(packet?.window_end_utc ?? '');
}

export const LONGEST_MS = 3_600_000;
/** Default span, and the delay until its last packets are stored. */
const USUAL_MS = 3 * CHUNK_MS;
const STORED_AFTER_MS = 60_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';

const URL_SPEED = urlWord(SPEEDS, '10');

/** An address with only an instant means the ten minutes around it. */
export function replaySpan(params: URLSearchParams, openedMs: number): Span {
  const newestMs = openedMs - STORED_AFTER_MS;
  const atMs = Date.parse(params.get('at') ?? '');
  const isInstant = !Number.isNaN(atMs) && !params.has('from') && !params.has('to');
  const startMs = Math.floor((atMs - CHUNK_MS) / PACKET_MS) * PACKET_MS;
  const usual = isInstant
    ? { symbol: USUAL_SYMBOL, fromMs: startMs, toMs: Math.max(startMs + PACKET_MS, Math.min(newestMs, startMs + 2 * CHUNK_MS)) }
    : { symbol: USUAL_SYMBOL, fromMs: newestMs - USUAL_MS, toMs: newestMs };
  const span = readSpan(params, usual);
  return { ...span, toMs: Math.min(span.toMs, span.fromMs + LONGEST_MS) };
}

function fromBeginning(params: URLSearchParams, span: Span): URLSearchParams {
  const changed = withSpan(params, span);
  changed.delete('at');
  return changed;
}

/** Also writes the span, which would otherwise follow the cursor. */
export function withInstant(params: URLSearchParams, span: Span, atMs: number): URLSearchParams {
  if (atMs === span.fromMs && !params.has('at')) return params;
  const changed = fromBeginning(params, span);
  if (atMs !== span.fromMs) changed.set('at', urlTime(atMs));
  return changed;
}

export function useReplayAddress() {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => windowStart(Date.now()));
  const [speed, setSpeed] = useUrlState('speed', URL_SPEED);
  const span = replaySpan(params, openedMs);
  const { symbol, fromMs, toMs } = span;
  const atMs = Date.parse(params.get('at') ?? '');
  const setSpan = useCallback((next: Span) => setParams((before) => fromBeginning(before, next)), [setParams]);
  const setAt = useCallback(
    (ms: number) => setParams((before) => withInstant(before, { symbol, fromMs, toMs }, ms), { replace: true }),
    [symbol, fromMs, toMs, setParams],
  );
  return { span, setSpan, speed, setSpeed, atMs: Number.isNaN(atMs) ? fromMs : clamp(atMs, span), setAt };
}

function windowStart(ms: number): number {
  return Math.floor(ms / PACKET_MS) * PACKET_MS;
}
