/**
 * A packet is fresh until so long after its window's end, or after it was made where that was earlier, milliseconds: the next two are due
 * by then.
 */
export const PACKET_FRESH_MS = 25_000;
