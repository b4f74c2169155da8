import type { MarketEvent } from '@market-state/market-data';
import type { RetainedCheckpoint, RetainedPacket } from './retained';

/** One sentence per line. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  /**
   * @param reason `unusable`: faulty; `foreign`: a line of an unknown schema; `incomplete`: something required is
   * missing
   */
  constructor(
    readonly reason: 'unusable' | 'foreign' | 'incomplete',
    readonly lines: readonly string[],
  ) {
    super(lines.join('\n'));
  }
}

export function unusable(...lines: readonly string[]): SourceError {
  return new SourceError('unusable', lines);
}

/** T of the packets to compare: from inclusive, to exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function refuseEmptySpan(symbol: string, { fromMs, toMs }: Span, newestRetainedMs: number): void {
  if (fromMs >= toMs)
    throw unusable(`${symbol}: the span starts after the newest packet, which ends at ${new Date(newestRetainedMs).toISOString()}`);
}

/** Stored entry that differs from its columns, from which rows and candles are served. */
export interface AlteredRow {
  readonly ordinal: number;
  readonly windowEndMs: number;
}

export interface SymbolSource {
  readonly symbol: string;
  readonly span: Span;
  readonly newestRetainedMs: number;
  /** Number of newest packets that may precede their entries. */
  readonly awaitingMax: number;
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** True if the entries after this ordinal are available; 0: from the start of the log. */
  reaches(afterOrdinal: number): boolean;
  /** Stored bytes: gzip, unless altered. */
  stateGzip(checkpoint: RetainedCheckpoint): Promise<Uint8Array>;
  /** In window order; empty for an empty span. */
  packets(span: Span): AsyncIterable<RetainedPacket>;
  entries(afterOrdinal: number): AsyncIterable<readonly MarketEvent[]>;
  /** Found so far while reading entries, in log order. */
  readonly altered: readonly AlteredRow[];
}
