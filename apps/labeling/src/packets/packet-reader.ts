import type { StoredBrief, StoredPacket } from './packet';
import type { PacketSpan } from './packet-span';

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
