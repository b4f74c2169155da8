/** Limits of every connection between services. */
export const MESSAGE_BYTES_MAX = 4 * 1_024 * 1_024;
export const KEEPALIVE_MS = 30_000;
export const KEEPALIVE_ANSWER_MS = 10_000;
/** A client that pings more often than this is disconnected. */
export const KEEPALIVE_MS_MIN = 10_000;
/** Calls in flight to one target. */
export const IN_FLIGHT_MAX = 100;
/** A read's time when the caller sets none. */
export const READ_DEADLINE_MS = 2_000;
/** Kept back from the time passed down, for this hop's own work. */
export const HOP_RESERVE_MS = 50;
/** A stream that says nothing for this long is broken. */
export const STREAM_IDLE_MS = 30_000;
