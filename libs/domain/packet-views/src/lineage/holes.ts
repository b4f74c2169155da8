import { WINDOW_MS } from '@market-state/market-data';
import type { LoggedBrief } from '../logged-packet';

/** The missing windows between packets. */
export function holesBetween(packets: readonly LoggedBrief[]) {
  return packets.slice(1).flatMap((later, index) => {
    const before = packets[index];
    if (before === undefined) return [];
    const missing = (later.windowEndMs - before.windowEndMs) / WINDOW_MS - 1;
    if (missing <= 0) return [];
    return [
      {
        after_event_id: before.packet.event_id,
        before_event_id: later.packet.event_id,
        after_window_end_utc: before.packet.ts,
        before_window_end_utc: later.packet.ts,
        missing_packet_total: missing,
      },
    ];
  });
}
