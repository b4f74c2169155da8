/** The limits of a connection. Times in milliseconds. */
export interface ConnectionLimits {
  /** A connection not open by then is abandoned. */
  readonly connectMs: number;
  readonly pingEveryMs: number;
  /** A ping that has no answer by then ends the connection. */
  readonly pongWithinMs: number;
  /** A frame over this is refused and counted; the connection stays. */
  readonly frameBytesMax: number;
  /** Messages that wait to be read. */
  readonly queueMax: number;
}

/** The limits of a live connection unless others are given. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connectMs: 10_000,
  pingEveryMs: 20_000,
  pongWithinMs: 10_000,
  frameBytesMax: 1_048_576,
  queueMax: 10_000,
};

/** Delays between connections, with full jitter, milliseconds. */
export const RECONNECT = { minMs: 250, maxMs: 30_000 } as const;
