import type { StoredBrief, StoredPacket } from './packet';

/** Windows of one symbol, from inclusive, to exclusive; null is unbounded. */
export interface WindowSpan {
  readonly symbol: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface PacketSpan extends WindowSpan {
  readonly asOfMs: number | null;
  readonly newestFirst: boolean;
}

/** Remaining span after reading up to this window; null: nothing was read. */
export function remaining<T extends PacketSpan>(span: T, lastMs: number | null): T {
  if (lastMs === null) return span;
  return span.newestFirst ? { ...span, toMs: lastMs } : { ...span, fromMs: lastMs + 1 };
}

export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  at(symbol: string, windowEndsMs: readonly number[]): Promise<StoredPacket[]>;
  find(eventId: string): Promise<StoredPacket | undefined>;
  list(span: PacketSpan, count: number): Promise<StoredPacket[]>;
  briefs(span: PacketSpan, count: number): Promise<StoredBrief[]>;
}
