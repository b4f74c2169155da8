import { createState, reduce, type PacketResult, type Policy } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';

/** A window's packets under the two policies; null where a policy makes none. */
export interface PacketPair {
  readonly a: PacketResult | null;
  readonly b: PacketResult | null;
}

/** Labels a log under two policies at once, window by window. */
export async function* relabel(
  symbol: string,
  batches: AsyncIterable<readonly MarketEvent[]>,
  policies: { readonly a: Policy; readonly b: Policy },
): AsyncGenerator<PacketPair> {
  const states = { a: createState(symbol, policies.a), b: createState(symbol, policies.b) };
  const waiting: { a: PacketResult[]; b: PacketResult[] } = { a: [], b: [] };
  for await (const events of batches) {
    for (const event of events) {
      waiting.a.push(...reduce(states.a, event));
      waiting.b.push(...reduce(states.b, event));
      for (let [a, b] = [waiting.a[0], waiting.b[0]]; a !== undefined && b !== undefined; [a, b] = [waiting.a[0], waiting.b[0]]) {
        if (a.windowEndMs <= b.windowEndMs) waiting.a.shift();
        if (b.windowEndMs <= a.windowEndMs) waiting.b.shift();
        yield { a: a.windowEndMs <= b.windowEndMs ? a : null, b: b.windowEndMs <= a.windowEndMs ? b : null };
      }
    }
  }
  for (const a of waiting.a) yield { a, b: null };
  for (const b of waiting.b) yield { a: null, b };
}
