/**
 * How long a packet is fresh after its window's end, or after its making if that was earlier, milliseconds: the next two are due by
 * then.
 */
export const PACKET_FRESH_MS = 25_000;
