import { checkPacket, type PacketRow, type PublicKeys, statedBy } from './check-packet';

/** Where a chain is broken. */
export interface ChainBreak {
  /** Place of the row, from 0. */
  readonly index: number;
  readonly eventId: string;
  /** What is wrong there, in one sentence. */
  readonly reason: string;
}

/** What was found of packets in a row. */
export interface ChainCheck {
  readonly ok: boolean;
  /** Packets before the first break, or all. */
  readonly checkedTotal: number;
  /** Lineage digest of the last of them, hex; null where there is none. */
  readonly lineageDigest: string | null;
  readonly firstBreak: ChainBreak | null;
}

/**
 * Checks that packets of one symbol, oldest first, are each what they say and follow on one another without one missing, changed or put
 * between. Stops at the first break, and names it.
 */
export async function checkChain(rows: Iterable<PacketRow>, keys?: PublicKeys): Promise<ChainCheck> {
  let index = 0;
  let lineageDigest: string | null = null;
  for (const row of rows) {
    const { event_id: eventId, previous_lineage_digest: previous, symbol } = statedBy(row);
    const check = await checkPacket(row, keys);
    const reason = check.faults[0] ?? (lineageDigest === null || previous === lineageDigest ? null : breakOf(symbol));
    if (reason !== null) return { ok: false, checkedTotal: index, lineageDigest, firstBreak: { index, eventId, reason } };
    ({ lineageDigest } = check);
    index += 1;
  }
  return { ok: true, checkedTotal: index, lineageDigest, firstBreak: null };
}

function breakOf(symbol: string): string {
  return `It does not follow on the packet before it: a packet of ${symbol} is missing, or another was put in its place.`;
}
