import type { AuditMeasure, Comparison } from '@market-state/market-data';

export interface Measured {
  readonly measure: AuditMeasure;
  readonly fromMs: number;
  readonly toMs: number;
  readonly comparison: Comparison;
}

export interface AuditTarget {
  readonly symbol: string;
  readonly venue: string;
  readonly measures: readonly AuditMeasure[];
  /** The venue's REST responses, or the recording's own best prices. */
  readonly source: 'venue' | 'recording';
  /**
   * Rejects while the store is unavailable.
   * @param comparedToMs end of the previous comparison of `candles`, or of a recording's `book`
   */
  compare(comparedToMs: number | undefined, signal: AbortSignal): Promise<readonly Measured[]>;
}
