/** Length of a window and so the time from one packet to the next, milliseconds. */
export const WINDOW_MS = 10_000;
