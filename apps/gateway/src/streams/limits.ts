/** The stream manifest publishes those visible to readers. */
export const STREAM_LIMITS = {
  /** Also sent on connect. */
  heartbeatMs: 15_000,
  /** Reconnect delay (`retry:`). */
  retryMs: 2_000,
  /** Per gateway; those per tenant are limited by the plan. */
  streamsMax: 1_000,
  /** Part of `streamsMax`. */
  streamsKeptForPaying: 300,
  /** Per symbol. */
  ringFramesMax: 20_000,
  ringBytesMax: 24 * 1_024 * 1_024,
  packetRingFramesMax: 128,
  packetRingBytesMax: 4 * 1_024 * 1_024,
  /** Maximum write to one reader. */
  pieceBytesMax: 64 * 1_024,
  /** Minimum part of a piece per symbol. */
  batchBytesMin: 4 * 1_024,
  symbolsMax: 20,
  /** Open time of a symbol's source after its last reader. */
  hubLingerMs: 30_000,
  /** Retry time of a lost source. */
  upstreamTriesMs: 30_000,
  /** Rows by which an id may be ahead: another gateway may be faster. */
  aheadRowsMax: 10_000,
  /** Maximum time without confirmation of a stream's key. */
  keyUnknownMs: 5_000,
  /** Time to consume the last message. */
  endGraceMs: 1_000,
  replayMs: 24 * 3_600_000,
} as const;
