import type { MarketEvent } from '@market-state/market-data';
import type { PacketResult } from '../label/label-packet';
import type { LabelerState } from '../reducer/labeler-state';
import { reduce } from '../reducer/reduce';

/** Null if a policy yields no packet. */
export interface PacketPair<T> {
  readonly a: T | null;
  readonly b: T | null;
}

interface OfWindow {
  readonly windowEndMs: number;
}

/** Pairs packets by window, as they arrive. */
export class PairQueue<T extends OfWindow> {
  private readonly waiting: { a: T[]; b: T[] } = { a: [], b: [] };

  take(a: readonly T[], b: readonly T[]): void {
    this.waiting.a.push(...a);
    this.waiting.b.push(...b);
  }

  *ready(): Generator<PacketPair<T>> {
    const { a, b } = this.waiting;
    for (let [one, other] = [a[0], b[0]]; one !== undefined && other !== undefined; [one, other] = [a[0], b[0]]) {
      if (one.windowEndMs <= other.windowEndMs) a.shift();
      if (other.windowEndMs <= one.windowEndMs) b.shift();
      yield { a: one.windowEndMs <= other.windowEndMs ? one : null, b: other.windowEndMs <= one.windowEndMs ? other : null };
    }
  }

  *rest(): Generator<PacketPair<T>> {
    for (const a of this.waiting.a.splice(0)) yield { a, b: null };
    for (const b of this.waiting.b.splice(0)) yield { a: null, b };
  }
}

/** Each state under its own policy. Modifies the states. */
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
