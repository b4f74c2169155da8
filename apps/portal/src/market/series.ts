import type { Schemas } from '@market-state/client';
import { COMPOSITES, type Composite, RETAINED_STATES, sideOf, type Side } from '@market-state/packet-figures';
import { type CompactPacket, PACKET_MS } from '../packets/live-markets';

type Column = (number | null)[];

export interface Series {
  /**
   * Window ends in epoch milliseconds. A discontinuity adds one extra time right after the last window, which breaks
   * the lines.
   */
  readonly timesMs: number[];
  readonly mid: Column;
  readonly composites: Readonly<Record<Composite, { readonly score: Column; readonly watch: Column; readonly elevated: Column }>>;
}

/** @param gaps ledger entries: a seam restarts the recording, so no line crosses it */
export function seriesOf(packets: readonly CompactPacket[], gaps: readonly Pick<Schemas['Gap'], 'kind' | 'start_utc'>[]): Series {
  const seamsMs = gaps.flatMap(({ kind, start_utc: start }) => (kind === 'seam' ? [Date.parse(start)] : []));
  const timesMs: number[] = [];
  const mid: Column = [];
  const composites = Object.fromEntries(
    COMPOSITES.map((name) => [name, { score: [] as Column, watch: [] as Column, elevated: [] as Column }]),
  ) as Record<Composite, { score: Column; watch: Column; elevated: Column }>;
  const add = (timeMs: number, packet: CompactPacket | null): void => {
    timesMs.push(timeMs);
    // A book that is no longer current has a price, but no line is drawn through it.
    mid.push(packet === null || RETAINED_STATES.has(packet.state) ? null : packet.mid_price);
    for (const name of COMPOSITES) {
      const { score = null, watch = null, elevated = null } = packet?.composites[name] ?? {};
      composites[name].score.push(score);
      composites[name].watch.push(watch);
      composites[name].elevated.push(elevated);
    }
  };
  packets.forEach((packet, index) => {
    const endMs = Date.parse(packet.window_end_utc);
    add(endMs, packet);
    const next = packets[index + 1];
    if (next === undefined) return;
    const nextMs = Date.parse(next.window_end_utc);
    if (nextMs > endMs + PACKET_MS || seamsMs.some((seamMs) => seamMs > endMs && seamMs <= nextMs)) add(endMs + 1, null);
  });
  return { timesMs, mid, composites };
}

interface ClassMark {
  readonly startMs: number;
  readonly endMs: number;
  readonly side: Side;
}

const ROUTINE = 'balanced_two_sided_context';

/** Marks for all classes except routine; consecutive windows on the same side are merged. */
export function classMarks(packets: readonly CompactPacket[]): readonly ClassMark[] {
  const marks: ClassMark[] = [];
  for (const { window_end_utc: end, event_class: eventClass, market_read_direction: direction } of packets) {
    if (eventClass === ROUTINE || eventClass === 'retained_context_only') continue;
    const endMs = Date.parse(end);
    const side = sideOf(eventClass, direction);
    const last = marks.at(-1);
    if (last !== undefined && last.side === side && last.endMs === endMs - PACKET_MS) marks[marks.length - 1] = { ...last, endMs };
    else marks.push({ startMs: endMs - PACKET_MS, endMs, side });
  }
  return marks;
}

export function mergePackets(one: readonly CompactPacket[], other: readonly CompactPacket[], spanMs: number): readonly CompactPacket[] {
  const byWindow = new Map([...one, ...other].map((packet) => [packet.window_end_utc, packet]));
  const all = [...byWindow.values()].sort((a, b) => a.window_end_utc.localeCompare(b.window_end_utc));
  const newestMs = Date.parse(all.at(-1)?.window_end_utc ?? '');
  return all.filter(({ window_end_utc: end }) => Date.parse(end) > newestMs - spanMs);
}

/** Missing span between the stored packets and the first live one; null if they meet. */
export function seamOf(
  stored: readonly CompactPacket[],
  live: readonly CompactPacket[],
): { readonly fromMs: number; readonly toMs: number } | null {
  const [newest, first] = [stored.at(-1), live[0]];
  if (newest === undefined || first === undefined) return null;
  const [fromMs, toMs] = [Date.parse(newest.window_end_utc), Date.parse(first.window_end_utc)];
  return toMs > fromMs + PACKET_MS ? { fromMs: fromMs + 1, toMs } : null;
}
