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

/** The labeler over one symbol's log. */
export interface Reducer {
  /** Takes the next event; gives the packets that it closed. */
  reduce(event: MarketEvent): readonly LabelledPacket[];
  /** The whole state, from which another reducer goes on as this one would. */
  serialize(): Uint8Array;
}

/** Opens reducers. */
export interface Labeler {
  /** At the start of a log. */
  begin(symbol: string): Reducer;
  /** At a saved state. @throws {StateRestoreError} when it was saved under another policy or in another form. */
  resume(state: Uint8Array): Reducer;
}

/** The labeler library under one policy. */
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
