import type { EventFilter, EventOrder, EventPlace, EventRecord } from './event';
import type { HeldPackets } from './held-packets';
import type { PacketHours, PacketHoursFilter } from './packet-hours';
import type { Stability } from './stability';

/** Reads the index of events. */
export interface EventIndex {
  /** Events beyond a place (null: from the first on), at most `count`. */
  list(filter: EventFilter, order: EventOrder, beyond: EventPlace | null, count: number): Promise<EventRecord[]>;
  /** How steady the published states of a window were. */
  stability(window: Pick<EventFilter, 'symbol' | 'fromMs' | 'toMs' | 'asOfMs'>): Promise<Stability>;
  /** How many packets each hour of a span has, and the file of those that are archived. */
  hours(span: PacketHoursFilter): Promise<PacketHours>;
  /** What is kept of the packets of each of these symbols, in their order. @param asOfMs what was known by then; null: now */
  held(symbols: readonly string[], asOfMs: number | null): Promise<HeldPackets[]>;
}
