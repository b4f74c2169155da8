import {
  createState,
  type LabelerState,
  type PacketResult,
  type Policy,
  reduce,
  restoreState,
  serializeState,
} from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
import { briefOf } from '@market-state/packet-views';
import type { LabelledPacket } from '../packets/packet';

export interface Reducer {
  reduce(event: MarketEvent): readonly LabelledPacket[];
  serialize(): Uint8Array;
}

export interface Labeler {
  begin(symbol: string): Reducer;
  /**
   * Resumes a saved state.
   * @throws {StateRestoreError} if it was saved under another policy or in another form
   */
  resume(state: Uint8Array): Reducer;
}

export function createPolicyLabeler(policy: Policy): Labeler {
  return {
    begin: (symbol) => reducerOver(createState(symbol, policy)),
    resume: (state) => reducerOver(restoreState(state, policy)),
  };
}

function reducerOver(state: LabelerState): Reducer {
  return {
    reduce: (event) => reduce(state, event).map(toLabelledPacket),
    serialize: () => serializeState(state),
  };
}

function toLabelledPacket(result: PacketResult): LabelledPacket {
  return {
    symbol: result.symbol,
    windowEndMs: result.windowEndMs,
    packetId: result.packetId,
    eventId: result.eventId,
    body: result.body,
    packetDigest: result.packetDigest,
    lineageDigest: result.lineageDigest,
    inputDigest: result.inputDigest,
    policyDigest: result.policyDigest,
    headline: result.headline,
    customerNextStep: result.customerNextStep,
    sourceKind: result.sourceKind,
    brief: JSON.stringify(briefOf(result.packet)),
  };
}
