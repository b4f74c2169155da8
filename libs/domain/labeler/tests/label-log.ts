import type { MarketEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce, type LabelerState, type PacketResult } from '../src/index';

export const POLICY = loadPolicy();

/** Labels a log, from its start or from a state. */
export function labelLog(events: readonly MarketEvent[], state: LabelerState = createState('BTCUSD-PERP', POLICY)): PacketResult[] {
  return events.flatMap((event) => reduce(state, event));
}

/** Values that two identical runs share. */
export function chainOf(results: readonly PacketResult[]): readonly string[] {
  return results.map((result) => `${result.windowEndMs} ${result.packetId} ${result.lineageDigest}`);
}
