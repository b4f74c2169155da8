import type { Schemas } from '@market-state/client';
import { useEffect, useEffectEvent } from 'react';
import { type FlowBook, type FlowState, TAPE_SPAN_MS, type TapeTrade } from '../../market/flow-state';
import { type CompactPacket, PACKET_MS } from '../../packets/board';
import { type Chunk, chunkAt, isRead, type Readings } from './chunks';

/** What a key does in a replay. */
type ReplayAction = 'toggle' | { readonly packet: -1 | 1 } | { readonly seconds: -1 | 1 };

const ACTIONS: Readonly<Record<string, ReplayAction>> = {
  ' ': 'toggle',
  ArrowLeft: { seconds: -1 },
  ArrowRight: { seconds: 1 },
  '[': { packet: -1 },
  ']': { packet: 1 },
};

/** What of the focused elements needs a key itself: space presses buttons, arrows choose and scroll. The seek bar needs none. */
const TAKES: Readonly<Record<'toggle' | 'seconds' | 'packet', string>> = {
  toggle: 'button, a, summary, select, textarea, input:not([type="range"])',
  seconds: 'select, textarea, input:not([type="range"]), [tabindex="0"]',
  packet: 'select, textarea, input:not([type="range"])',
};

/** What a key does; null where it is another's. @param isTaken whether what has the focus is of a kind, as a selector */
export function replayAction(key: string, isTaken: (selector: string) => boolean): ReplayAction | null {
  const action = ACTIONS[key];
  if (action === undefined) return null;
  const kind = action === 'toggle' ? 'toggle' : 'seconds' in action ? 'seconds' : 'packet';
  return isTaken(TAKES[kind]) ? null : action;
}

/** Space plays and pauses, arrows move by a second, brackets by a packet. */
export function useReplayKeys(act: (action: ReplayAction) => void): void {
  const take = useEffectEvent(act);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey) return;
      const action = replayAction(key, (selector) => target instanceof Element && target.closest(selector) !== null);
      if (action === null) return;
      event.preventDefault();
      take(action);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

/** Multiples of the recorded pace. */
export const SPEEDS = ['1', '2', '5', '10', '20', '50', '100'] as const;

/** Time between two frames that is counted at most, milliseconds: a page that was hidden does not leap when it is shown again. */
const FRAME_MAX_MS = 1_500;

/** Where a cursor is after some time of the reader's, by exchange time; it waits at the end of what is read. */
export function advance(atMs: number, elapsedMs: number, speed: number, readableToMs: number): number {
  const nextMs = atMs + Math.min(FRAME_MAX_MS, Math.max(0, elapsedMs)) * speed;
  return Math.max(atMs, Math.min(nextMs, readableToMs));
}

/** Trades that a tape shows at least, however old. */
const TAPE_MIN = 22;

/** How many of the rows, which are in order, are at or before an instant. */
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

/** Book and trades as they were at an instant; null where they were not read. */
export function flowAt(
  chunks: readonly Chunk[],
  readings: Readings,
  ms: number,
): Pick<FlowState, 'bids' | 'asks' | 'bookMs' | 'trades'> | null {
  const chunk = chunkAt(chunks, ms);
  if (chunk === undefined) return null;
  const { index: here, startMs } = chunk;
  const reachedMs = readings.get(here)?.reachedMs ?? startMs;
  // The first instant of a chunk that is not read is the last of the one before it.
  const before = chunks[here - 1];
  if (ms > reachedMs || (reachedMs === startMs && (before === undefined || !isRead(before, readings)))) return null;
  let book: FlowBook | undefined;
  let trades: readonly TapeTrade[] = [];
  // Chunks right before it say what stood when it began.
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

/** Whether trades, newest first, reach back as far as a tape shows. */
function isTape(trades: readonly TapeTrade[], ms: number): boolean {
  return trades.length >= TAPE_MIN && (trades.at(-1)?.timeMs ?? ms) <= ms - TAPE_SPAN_MS;
}

/** Packets whose windows had closed at an instant, oldest first. */
export function packetsUpTo(packets: readonly CompactPacket[], ms: number): readonly CompactPacket[] {
  return packets.slice(
    0,
    countUpTo((index) => endOf(packets[index]), packets.length, ms),
  );
}

/** Up to where every window has closed at an instant, milliseconds since the epoch. */
export function windowsClosedAt(ms: number): number {
  return Math.floor(ms / PACKET_MS) * PACKET_MS;
}

/** The instant of the packet before or after an instant; the bound of the span where there is none. */
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

/** An instant within a span. */
export function clamp(ms: number, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return Math.min(toMs, Math.max(fromMs, ms));
}

/** The gap that an instant is in, of a channel or of all; undefined where the channel is whole. */
export function gapAt(gaps: readonly Schemas['Gap'][], channel: 'book' | 'trades', ms: number): Schemas['Gap'] | undefined {
  return gaps.find(
    (gap) =>
      isLoss(gap) &&
      (gap.channel === null || gap.channel === channel) &&
      ms > Date.parse(gap.start_utc) &&
      (gap.end_utc === null || ms < Date.parse(gap.end_utc)),
  );
}

/** Whether rows are missing there, or may be. */
export function isLoss({ kind, resolution }: Schemas['Gap']): boolean {
  return kind === 'gap' && resolution !== 'withdrawn';
}

function endOf(packet: CompactPacket | undefined): number {
  return Date.parse(packet?.window_end_utc ?? '');
}
