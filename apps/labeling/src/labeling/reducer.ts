import type { MarketEvent } from '@market-state/market-data';
import type { LabelledPacket } from '../packets/packet';

/** The labeler over one symbol's log. */
export interface Reducer {
  /** Takes the next event; gives the packets that it closed. */
  reduce(event: MarketEvent): readonly LabelledPacket[];
  /** The whole state, from which another reducer goes on as this one would. */
  serialize(): Uint8Array;
}

/** Opens a reducer at the start of a log, or at a saved state. */
export type OpenReducer = (symbol: string, saved?: Uint8Array) => Reducer;
