/** Windows of one symbol. Milliseconds since the epoch; null is unbounded. */
export interface WindowSpan {
  readonly symbol: string;
  /** Inclusive. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
}
