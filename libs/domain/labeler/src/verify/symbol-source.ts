import type { MarketEvent } from '@market-state/market-data';
import type { RetainedCheckpoint, RetainedPacket } from './retained';

/** Thrown if the data to verify is unusable or incomplete. Each line is a sentence for its provider. */
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

/** Creates the error for faulty data. */
export function unusable(...lines: readonly string[]): SourceError {
  return new SourceError('unusable', lines);
}

/** T of the packets to compare: from inclusive, to exclusive; milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @throws SourceError if the span starts after the newest packet */
export function refuseEmptySpan(symbol: string, { fromMs, toMs }: Span, newestRetainedMs: number): void {
  if (fromMs >= toMs)
    throw unusable(`${symbol}: the span starts after the newest packet, which ends at ${new Date(newestRetainedMs).toISOString()}`);
}

/** Stored entry whose columns, from which rows and candles are served, differ from the entry itself. */
export interface AlteredRow {
  readonly ordinal: number;
  /** End of its event's window, milliseconds since the epoch. */
  readonly windowEndMs: number;
}

/** Stored data of one symbol. */
export interface SymbolSource {
  readonly symbol: string;
  /** Requested span, or the source's default. */
  readonly span: Span;
  readonly newestRetainedMs: number;
  /** Number of newest packets that may precede their entries. */
  readonly awaitingMax: number;
  /** In log order. */
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** Returns true if the entries after this ordinal are available; 0: from the start of the log. */
  reaches(afterOrdinal: number): boolean;
  /** As stored: gzip, unless altered. */
  stateGzip(checkpoint: RetainedCheckpoint): Promise<Uint8Array>;
  /** In window order; empty for an empty span. */
  packets(span: Span): AsyncIterable<RetainedPacket>;
  entries(afterOrdinal: number): AsyncIterable<readonly MarketEvent[]>;
  /** Found so far while reading entries, in log order. */
  readonly altered: readonly AlteredRow[];
}
