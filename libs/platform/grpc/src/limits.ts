export const MESSAGE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Received ahead of its reader. HTTP/2's default of 64 KiB stops the sender several times in a page of packets. */
export const FLOW_CONTROL_BYTES = 1_024 * 1_024;
export const KEEPALIVE_MS = 30_000;
/** Then the connection is closed. */
export const KEEPALIVE_ANSWER_MS = 10_000;
/** Clients that ping more often are disconnected. */
export const KEEPALIVE_MS_MIN = 10_000;
/** Above the largest plan's limit at a gateway. */
export const IN_FLIGHT_MAX = 200;
/** Further calls are queued. */
export const TENANT_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
export const TENANT_WAITING_MAX = 500;
export const TENANT_WAIT_MS_MAX = 1_000;
export const READ_DEADLINE_MS = 2_000;
/** For this hop's own work. */
export const HOP_RESERVE_MS = 50;
export const STREAM_IDLE_MS = 30_000;
