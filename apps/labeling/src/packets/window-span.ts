/** Windows of one symbol, oldest first. Milliseconds since the epoch; null is unbounded. */
export interface WindowSpan {
  readonly symbol: string;
  /** Inclusive. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
}
