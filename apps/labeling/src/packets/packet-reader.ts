import type { StoredPacket } from './packet';

/** Windows of one symbol, oldest first. Milliseconds since the epoch; null is unbounded. */
export interface PacketSpan {
  readonly symbol: string;
  /** Inclusive. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
}

/** Reads retained packets. */
export interface PacketReader {
  newest(symbol: string): Promise<StoredPacket | undefined>;
  /** Packets of the span whose window ends after `afterMs`, at most `count`. */
  list(span: PacketSpan, afterMs: number | null, count: number): Promise<StoredPacket[]>;
}
