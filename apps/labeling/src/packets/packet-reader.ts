import type { StoredPacket } from './packet';
import type { WindowSpan } from './window-span';

/** Reads retained packets. */
export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  find(eventId: string): Promise<StoredPacket | undefined>;
  /** Packets of the span whose window ends after `afterMs`, at most `count`. */
  list(span: WindowSpan, afterMs: number | null, count: number): Promise<StoredPacket[]>;
}
