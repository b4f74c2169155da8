/** Largest message between services, bytes. */
export const MESSAGE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Time between keepalive pings of a connection, milliseconds. */
export const KEEPALIVE_MS = 30_000;
/** A ping without an answer for this long ends the connection, milliseconds. */
export const KEEPALIVE_ANSWER_MS = 10_000;
/** A client that pings more often than this is disconnected. */
export const KEEPALIVE_MS_MIN = 10_000;
/** Unary calls of a client in flight: more than the largest plan lets a tenant have at a gateway. */
export const IN_FLIGHT_MAX = 200;
/** Those of one tenant; its further calls wait. */
export const TENANT_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
/** Calls of one tenant that wait; one more is refused. */
export const TENANT_WAITING_MAX = 500;
/** A call that waited so long is refused, milliseconds. */
export const TENANT_WAIT_MS_MAX = 1_000;
/** Deadline of a read when the caller sets none. */
export const READ_DEADLINE_MS = 2_000;
/** Time deducted from the deadline passed on, for this hop's own work. */
export const HOP_RESERVE_MS = 50;
/** A stream silent for this long is broken. */
export const STREAM_IDLE_MS = 30_000;
