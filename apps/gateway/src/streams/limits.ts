/** Stream limits; the stream manifest publishes those visible to readers. */
export const STREAM_LIMITS = {
  /** Sent on connect and then at this interval. */
  heartbeatMs: 15_000,
  /** Reconnect delay (`retry:`). */
  retryMs: 2_000,
  /** Open streams per gateway; those per tenant are limited by the plan. */
  streamsMax: 1_000,
  /** Part of `streamsMax` reserved for paying plans. */
  streamsKeptForPaying: 300,
  /** Newest messages per symbol, in memory for all readers. */
  ringFramesMax: 20_000,
  ringBytesMax: 24 * 1_024 * 1_024,
  packetRingFramesMax: 128,
  packetRingBytesMax: 4 * 1_024 * 1_024,
  /** Maximum write to one reader; the next is built once the reader has consumed it. */
  pieceBytesMax: 64 * 1_024,
  /** Minimum part of a piece for each symbol in a stream of several. */
  batchBytesMin: 4 * 1_024,
  /** Symbols per stream. */
  symbolsMax: 20,
  /** Time a symbol's source stays open after its last reader left. */
  hubLingerMs: 30_000,
  /** Retry time for a lost source before its streams end. */
  upstreamTriesMs: 30_000,
  /** Rows by which an id may be ahead of this gateway: another one may be faster. */
  aheadRowsMax: 10_000,
  /** Streams end if account could not confirm their key for this long. */
  keyUnknownMs: 5_000,
  /** Time to consume the last message before the connection is cut. */
  endGraceMs: 1_000,
  /** Longest replay. */
  replayMs: 24 * 3_600_000,
} as const;
