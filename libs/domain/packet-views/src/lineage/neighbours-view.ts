import type { LoggedBrief } from '../logged-packet';
import { lineageRow } from './lineage-row';

const SENTENCES = {
  before: (found: number, wanted: number) => {
    if (found === 0) return 'No earlier packet is kept.';
    return found === wanted ? `All ${wanted} packets before it are kept.` : `Only ${found} of ${wanted} packets before this one are kept.`;
  },
  after: (found: number, wanted: number) => {
    if (found === 0) return 'No packet has followed it yet.';
    return found === wanted ? `All ${wanted} packets after it are kept.` : `${found} of ${wanted} packets have followed it so far.`;
  },
} as const;

/** Packets on one side of another, oldest first, with how many of those wanted were found, also in words. */
export function neighboursView(side: 'before' | 'after', packets: readonly LoggedBrief[], wanted: number) {
  const found = packets.length;
  return {
    packet_total_wanted: wanted,
    packet_total: found,
    complete: found === wanted,
    sentence: SENTENCES[side](found, wanted),
    rows: packets.map(lineageRow),
  };
}
