/** Whether a row was received before its own exchange time, and by how much. */
interface ClockSkew {
  readonly venue_clock_ahead: boolean;
  /** Exchange time minus receive time, milliseconds; null unless the venue's clock is ahead. */
  readonly clock_skew_ms: number | null;
}

/** What is said of the clocks of a row, or of the newest row of a channel. Both times are milliseconds since the epoch. */
export function clockSkew(exchangeTsMs: number, receivedTsMs: number): ClockSkew {
  const aheadMs = exchangeTsMs - receivedTsMs;
  return aheadMs > 0 ? { venue_clock_ahead: true, clock_skew_ms: aheadMs } : { venue_clock_ahead: false, clock_skew_ms: null };
}
