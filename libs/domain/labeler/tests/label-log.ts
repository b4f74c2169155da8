import type { MarketEvent } from '@market-state/market-data';
import { createState, loadPolicy, reduce, type LabelerState, type PacketResult } from '../src/index';

/** The policy that ships, loaded once for a test file. */
export const POLICY = loadPolicy();

/** Every packet of the log, from its start or from a state. */
export function labelLog(events: readonly MarketEvent[], state: LabelerState = createState('BTCUSD-PERP', POLICY)): PacketResult[] {
  return events.flatMap((event) => reduce(state, event));
}

/** What two runs must share to be the same run. */
export function chainOf(results: readonly PacketResult[]): readonly string[] {
  return results.map((result) => `${result.windowEndMs} ${result.packetId} ${result.lineageDigest}`);
}
