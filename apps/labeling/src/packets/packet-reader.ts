import type { StoredPacket } from './packet';
import type { PacketSpan } from './packet-span';

/** Reads retained packets. */
export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  find(eventId: string): Promise<StoredPacket | undefined>;
  /** The first packets of the span in its order, at most `count`. */
  list(span: PacketSpan, count: number): Promise<StoredPacket[]>;
}
