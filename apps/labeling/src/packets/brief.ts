import type { Packet } from '@market-state/labeler';
import { briefOf } from '@market-state/packet-views';

/** The brief of a packet of which the body is kept. */
export function briefOfBody(body: string): string {
  return JSON.stringify(briefOf(JSON.parse(body) as Packet));
}
