/** Largest message between services, in bytes. */
export const MESSAGE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Interval of keepalive pings in milliseconds. */
export const KEEPALIVE_MS = 30_000;
/** A ping unanswered for this long closes the connection, in milliseconds. */
export const KEEPALIVE_ANSWER_MS = 10_000;
/** Clients that ping more often are disconnected, in milliseconds. */
export const KEEPALIVE_MS_MIN = 10_000;
/** Unary calls in flight per client: above the largest plan's limit at a gateway. */
export const IN_FLIGHT_MAX = 200;
/** Unary calls in flight per tenant; further ones are queued. */
export const TENANT_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
/** Queue limit per tenant. */
export const TENANT_WAITING_MAX = 500;
/** Maximum time in that queue, in milliseconds. */
export const TENANT_WAIT_MS_MAX = 1_000;
/** Default deadline of a read, in milliseconds. */
export const READ_DEADLINE_MS = 2_000;
/** Deducted from the deadline passed on, for this hop's own work, in milliseconds. */
export const HOP_RESERVE_MS = 50;
/** Silence after which a stream counts as broken, in milliseconds. */
export const STREAM_IDLE_MS = 30_000;
