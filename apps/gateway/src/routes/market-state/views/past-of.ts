import type { ServedPacket } from '../../../clients/served-packet';
import type { PastReach } from '../../../serving/handlers/handler';

/** What an answer about an event reaches that speaks up to an instant, milliseconds since the epoch, and says whether its packet is fresh. */
export function pastOf({ symbol, freshUntilMs }: ServedPacket, speaksToMs: number): PastReach {
  return { symbols: [symbol], throughMs: Math.max(speaksToMs, freshUntilMs), upToNewest: false };
}
