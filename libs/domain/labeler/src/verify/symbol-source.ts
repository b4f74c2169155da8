import type { MarketEvent } from '@market-state/market-data';
import type { RetainedCheckpoint, RetainedPacket } from './retained';

/** What is to be verified cannot be used as it is, or not all of it is there. Each line is a sentence for whoever gave it. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /** @param reason `unusable`: it is faulty; `foreign`: a line is none of ours; `incomplete`: something that it needs is missing */
  constructor(
    readonly reason: 'unusable' | 'foreign' | 'incomplete',
    readonly lines: readonly string[],
  ) {
    super(lines.join('\n'));
  }
}

/** The error of something faulty. */
export function unusable(...lines: readonly string[]): SourceError {
  return new SourceError('unusable', lines);
}

/** T of the packets to compare: from inclusive, to exclusive; milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @throws SourceError when no window can end in the span, because it begins after the newest packet */
export function refuseEmptySpan(symbol: string, { fromMs, toMs }: Span, newestRetainedMs: number): void {
  if (fromMs >= toMs)
    throw unusable(`${symbol}: the span begins after the newest packet, which is that of ${new Date(newestRetainedMs).toISOString()}`);
}

/** A stored entry whose columns, which rows and candles are served from, are not what the entry itself says. */
export interface AlteredRow {
  readonly ordinal: number;
  /** End of the window that its event falls into, milliseconds since the epoch. */
  readonly windowEndMs: number;
}

/** What is kept of one symbol, wherever that is. */
export interface SymbolSource {
  readonly symbol: string;
  /** The span asked for, or the one that the source proposes. */
  readonly span: Span;
  readonly newestRetainedMs: number;
  /** So many of the newest packets may be there before their entries are. */
  readonly awaitingMax: number;
  /** In log order. */
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** Whether the entries after this ordinal are there; 0: the log from its beginning. */
  reaches(afterOrdinal: number): boolean;
  /** As it is kept: gzip, if nobody has changed it. */
  stateGzip(checkpoint: RetainedCheckpoint): Promise<Uint8Array>;
  /** In the order of their windows; none of an empty span. */
  packets(span: Span): AsyncIterable<RetainedPacket>;
  entries(afterOrdinal: number): AsyncIterable<readonly MarketEvent[]>;
  /** Found so far while reading entries, in log order. */
  readonly altered: readonly AlteredRow[];
}
