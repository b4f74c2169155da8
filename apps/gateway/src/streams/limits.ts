/** Limits of the streams; the stream manifest names those that a reader meets. */
export const STREAM_LIMITS = {
  /** A heartbeat comes at once, and then whenever so much time has passed. */
  heartbeatMs: 15_000,
  /** How long a reader that was cut waits before it comes back (`retry:`). */
  retryMs: 2_000,
  /** Streams open at once at one gateway; those of a tenant are limited by its plan. */
  streamsMax: 1_000,
  /** Of these, so many are kept for plans that pay. */
  streamsKeptForPaying: 300,
  /** The newest messages of a symbol that are held in memory for every reader. */
  ringFramesMax: 20_000,
  ringBytesMax: 24 * 1_024 * 1_024,
  packetRingFramesMax: 128,
  packetRingBytesMax: 4 * 1_024 * 1_024,
  /** Written at once to one reader; the next is made when the reader has taken it. */
  pieceBytesMax: 64 * 1_024,
  /** Of that, each symbol of a stream of several may use so much at least. */
  batchBytesMin: 4 * 1_024,
  /** Symbols that one stream may name. */
  symbolsMax: 20,
  /** The source of a symbol is kept open so long after its last reader left. */
  hubLingerMs: 30_000,
  /** A lost source is tried again for so long before its streams end. */
  upstreamTriesMs: 30_000,
  /** How far an id may be ahead of what this gateway has seen, rows: another gateway may be quicker. */
  aheadRowsMax: 10_000,
  /** Streams end when account could not say for so long that their key still counts. */
  keyUnknownMs: 5_000,
  /** What a reader gets to take the last message before its connection is cut. */
  endGraceMs: 1_000,
  /** Longest replay. */
  replayMs: 24 * 3_600_000,
} as const;
