import type { StoredPacket } from './packet';

/**
 * From when a packet is known: the feed clock of the tick that closed its window, to the time of its making, and never before
 * the window's end, where a recording that is played fast runs ahead of the wall clock.
 */
export function knownMs({ windowEndMs, generatedTsMs, sourceLagMs }: Pick<StoredPacket, 'windowEndMs' | 'generatedTsMs' | 'sourceLagMs'>): number {
  return Math.max(windowEndMs, generatedTsMs - sourceLagMs);
}
