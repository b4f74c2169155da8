import type { MarketEvent } from '@market-state/market-data';
import type { PacketResult } from '../label/chain-packet';
import type { LabelerState } from '../reducer/labeler-state';
import { reduce } from '../reducer/reduce';
import { PairQueue, type PacketPair } from './packet-pairs';

/** Labels a log from two states of one place in it, each of its own policy, window by window. The states are changed in place. */
export async function* relabel(
  batches: AsyncIterable<readonly MarketEvent[]>,
  states: { readonly a: LabelerState; readonly b: LabelerState },
): AsyncGenerator<PacketPair<PacketResult>> {
  const pairs = new PairQueue<PacketResult>();
  for await (const events of batches) {
    for (const event of events) {
      pairs.take(reduce(states.a, event), reduce(states.b, event));
      yield* pairs.ready();
    }
  }
  yield* pairs.rest();
}
