import { logReturn, priceMoveBps } from '../features/price-features';
import type { PacketTrace } from '../lanes/packet-trace';
import type { Cuts } from '../windows/cuts';

/** The mid a price comparison starts or ends at: of a packet with a fresh book. */
export interface PricePoint {
  readonly mid: number | null;
  readonly bookTsMs: number | null;
  readonly fresh: boolean;
}

/**
 * The log return from `earlier` to `current`, packets ten seconds apart; null unless both had a fresh book and no book cut lies
 * between their books.
 */
export function returnBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : logReturn(mids.current, mids.earlier);
}

/** The signed price move in bps; null under the same conditions. */
export function moveBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : priceMoveBps(mids.current, mids.earlier);
}

/** The packet whose window ended at `windowEndMs`, if there is one among the newest `within`. */
export function packetAt(history: { last(count: number): PacketTrace[] }, windowEndMs: number, within: number): PacketTrace | undefined {
  return history.last(within).find((trace) => trace.windowEndMs === windowEndMs);
}

function comparableMids(
  earlier: PricePoint | undefined,
  current: PricePoint,
  cuts: Cuts,
): { readonly earlier: number; readonly current: number } | null {
  if (earlier === undefined || !earlier.fresh || !current.fresh) return null;
  if (earlier.mid === null || current.mid === null || earlier.bookTsMs === null || current.bookTsMs === null) return null;
  if (cuts.parts('book', earlier.bookTsMs, current.bookTsMs)) return null;
  return { earlier: earlier.mid, current: current.mid };
}
