import type { ServedPacket } from '../../../clients/served-packet';
import type { PastReach } from '../../../serving/answers/handler';

/** What an answer reaches that speaks of an event up to an instant, milliseconds since the epoch, and says whether its packet is fresh. */
export function pastOf({ symbol, freshUntilMs }: ServedPacket, speaksToMs: number): PastReach {
  return { symbols: [symbol], throughMs: Math.max(speaksToMs, freshUntilMs), upToNewest: false };
}
