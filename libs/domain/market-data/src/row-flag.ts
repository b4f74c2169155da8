/** Bits of a row's `flags`. A row's flags are their sum. */
export const ROW_FLAG = {
  /** First book after the feed connected, a pass began or the book was whole again. */
  snapshot: 1,
  /** It came when the window of its exchange time was closed. */
  late: 2,
  /** The venue's time and the receive time are more than 2 s apart. */
  clockSkew: 4,
  /** First row of its channel after something that cuts the channel. */
  afterGap: 8,
  /** Of a simulated venue. */
  synthetic: 16,
  /** Repeats a row that is there: kept, because it is in the log, and never served. */
  duplicate: 32,
  /** It was received before its own exchange time: the venue's clock is ahead of the receiver's. */
  venueClockAhead: 64,
} as const;
