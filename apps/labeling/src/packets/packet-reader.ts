import type { StoredBrief, StoredPacket } from './packet';

/** Windows of one symbol. Milliseconds since the epoch; null is unbounded. */
export interface WindowSpan {
  readonly symbol: string;
  /** Inclusive. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
}

/** Packets of one symbol, in one of two orders. */
export interface PacketSpan extends WindowSpan {
  /** Only packets that were known by then, milliseconds since the epoch; null: all. */
  readonly asOfMs: number | null;
  readonly newestFirst: boolean;
}

/** What is left of a span once everything up to this window was read; null: nothing was. */
export function remaining<T extends PacketSpan>(span: T, lastMs: number | null): T {
  if (lastMs === null) return span;
  return span.newestFirst ? { ...span, toMs: lastMs } : { ...span, fromMs: lastMs + 1 };
}

/** Reads retained packets. */
export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  /** Those of a symbol's packets whose windows end at these instants, in any order. */
  at(symbol: string, windowEndsMs: readonly number[]): Promise<StoredPacket[]>;
  find(eventId: string): Promise<StoredPacket | undefined>;
  /** The first packets of the span in its order, at most `count`. */
  list(span: PacketSpan, count: number): Promise<StoredPacket[]>;
  /** The same packets in brief. */
  briefs(span: PacketSpan, count: number): Promise<StoredBrief[]>;
}
