/**
 * The window that one packet speaks of, milliseconds of exchange time. Windows end at multiples of it since the epoch, whatever
 * the venue; recordings are moved in time, and synthetic logs begin, at such multiples alone.
 */
export const WINDOW_MS = 10_000;
