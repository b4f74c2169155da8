import type { LoggedPacket } from '../logged-packet';
import { lineageRow } from './lineage-row';

/** Packets on one side of another, oldest first: those there are of those wanted, and in words why there are fewer. */
export function neighboursView(side: 'before' | 'after', packets: readonly LoggedPacket[], wanted: number) {
  const found = packets.length;
  const complete = found === wanted;
  const lacking = side === 'before' ? `Only ${found} of ${wanted} packets before this one are kept.` : `Only ${found} of ${wanted} packets have followed it so far.`;
  return {
    packet_total_wanted: wanted,
    packet_total: found,
    complete,
    sentence: complete ? `All ${wanted} packets are there.` : lacking,
    rows: packets.map(lineageRow),
  };
}
