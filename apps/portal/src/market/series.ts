import type { Schemas } from '@market-state/client';
import { COMPOSITES, type Composite, RETAINED_STATES, sideOf, type Side } from '@market-state/packet-figures';
import { type CompactPacket, PACKET_MS } from '../packets/board';

/** A column of a chart: null breaks its line. */
type Column = (number | null)[];

/** What charts draw of an hour of packets. */
export interface Series {
  /** Ends of windows, milliseconds since the epoch; right after a window that the next one does not go on from, one more: lines break. */
  readonly timesMs: number[];
  readonly mid: Column;
  readonly composites: Readonly<Record<Composite, { readonly score: Column; readonly watch: Column; readonly elevated: Column }>>;
}

/**
 * Columns of packets in the order of their windows.
 * @param gaps entries of the gap ledger: at a seam the recording begins again, and no line goes on from the packets before it
 */
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

/** A mark under the price: the window of an event class that leans to a side, or to none. */
export interface ClassMark {
  readonly startMs: number;
  readonly endMs: number;
  readonly side: Side;
}

const ROUTINE = 'balanced_two_sided_context';

/** Marks of the classes that say more than routine, those of windows in a row with one side together. */
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

/** Packets in order, each window once, of the last hour before the newest. */
export function mergePackets(one: readonly CompactPacket[], other: readonly CompactPacket[], spanMs: number): readonly CompactPacket[] {
  const byWindow = new Map([...one, ...other].map((packet) => [packet.window_end_utc, packet]));
  const all = [...byWindow.values()].sort((a, b) => a.window_end_utc.localeCompare(b.window_end_utc));
  const newestMs = Date.parse(all.at(-1)?.window_end_utc ?? '');
  return all.filter(({ window_end_utc: end }) => Date.parse(end) > newestMs - spanMs);
}

/** What is missing between the packets that were stored when they were asked for and the first that came live; null where nothing is. */
export function seamOf(
  stored: readonly CompactPacket[],
  live: readonly CompactPacket[],
): { readonly fromMs: number; readonly toMs: number } | null {
  const [newest, first] = [stored.at(-1), live[0]];
  if (newest === undefined || first === undefined) return null;
  const [fromMs, toMs] = [Date.parse(newest.window_end_utc), Date.parse(first.window_end_utc)];
  return toMs > fromMs + PACKET_MS ? { fromMs: fromMs + 1, toMs } : null;
}
