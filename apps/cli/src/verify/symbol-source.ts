import type { RetainedCheckpoint, RetainedPacket } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';

/** Window ends are multiples of it. */
export const WINDOW_MS = 10_000;

/** T of the packets to compare: from inclusive, to exclusive; milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What is kept of one symbol, wherever that is. */
export interface SymbolSource {
  readonly symbol: string;
  /** The span asked for, or the one that the source proposes. */
  readonly span: Span;
  readonly newestRetainedMs: number;
  /** In log order. */
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** Whether the entries after this ordinal are there; 0: the log from its beginning. */
  reaches(afterOrdinal: number): boolean;
  /** Unpacked; rejects with a zlib error when it is not gzip. */
  stateBytes(checkpoint: RetainedCheckpoint): Promise<Uint8Array>;
  /** In the order of their windows. */
  packets(span: Span): AsyncIterable<RetainedPacket>;
  entries(afterOrdinal: number): AsyncIterable<readonly MarketEvent[]>;
}
