import type { AuditMeasure, Comparison } from '@market-state/market-data';

/** What a run found of one measure. */
export interface Measured {
  readonly measure: AuditMeasure;
  /** Span of what was compared, milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly comparison: Comparison;
}

/** A symbol that is audited. */
export interface AuditTarget {
  readonly symbol: string;
  readonly venue: string;
  readonly measures: readonly AuditMeasure[];
  /** What it is held against: the venue's REST answers, or the recording's own best prices. */
  readonly source: 'venue' | 'recording';
  /**
   * Compares once. Rejects while the store is away.
   * @param comparedToMs end of what the last run compared of `candles`, or of a recording's `book`; undefined before the first
   */
  compare(comparedToMs: number | undefined, signal: AbortSignal): Promise<readonly Measured[]>;
}
