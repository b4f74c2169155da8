import type { MarketEvent } from '@market-state/market-data';
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
