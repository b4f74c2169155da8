import type { SourceKindName } from '../serving/meta/meta';
import type { StreamPosition } from './position';
import type { Batches } from './batch';
import type { Rendered } from './frame';
import { STREAM_LIMITS } from './limits';

/** The messages of one symbol for one reader, opened: what can be refused was refused. */
export interface SymbolReader<Content extends Rendered = Rendered> {
  readonly symbol: string;
  /** Where the reader is before the first batch. */
  readonly start: StreamPosition;
  /** Ends when the signal aborts. Throws a ServiceError when the source is lost for good. */
  batches(signal: AbortSignal): Batches<Content>;
  /** Newest instant of the feed clock that was heard, milliseconds since the epoch; 0 where none was. */
  feedClockMs(): number;
  sourceKind(): SourceKindName;
  /** Lets go of what the source holds. */
  close(): void;
}

/** Size of a batch in a stream of so many symbols: each may have one ready, and all together fill one piece. */
export function batchBytesOf(symbolTotal: number): number {
  return Math.max(STREAM_LIMITS.batchBytesMin, Math.floor(STREAM_LIMITS.pieceBytesMax / symbolTotal));
}
