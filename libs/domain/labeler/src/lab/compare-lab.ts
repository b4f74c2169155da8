import type { PacketChange } from '../policy-diff/packet-change';
import { PairQueue } from '../policy-diff/packet-pairs';
import { type PolicyTotals, TotalsTally } from '../policy-diff/totals';
import type { LabPacket } from './open-lab';

/** What differs between two runs over one span, as `market-state diff-policy` tells it. */
export interface LabComparison {
  /** Windows that read differently, in order. */
  readonly changes: readonly PacketChange[];
  readonly totals: PolicyTotals;
}

/** Compares the packets of one span under two policies, window by window. */
export function compareLab(a: readonly LabPacket[], b: readonly LabPacket[]): LabComparison {
  const pairs = new PairQueue<LabPacket>();
  const tally = new TotalsTally();
  const changes: PacketChange[] = [];
  pairs.take(a, b);
  for (const pair of [...pairs.ready(), ...pairs.rest()]) {
    const change = tally.take({ a: pair.a?.packet ?? null, b: pair.b?.packet ?? null });
    if (change !== null) changes.push(change);
  }
  return { changes, totals: tally.totals() };
}
