import type { PacketTrace } from '../lanes/lane-read';
import type { Cuts } from '../sources/gaps';
import { naturalLog } from '../numbers/natural-log';
import { round12, round6 } from '../numbers/round';

/**
 * Log return between two mids ten seconds apart: ln(mid_T / mid of T − 10 s), 12 decimals. Source: the usual
 * continuously compounded return, of mids so that it does not bounce between bid and ask.
 */
export function logReturn(mid: number, earlierMid: number): number {
  return round12(naturalLog(mid / earlierMid));
}

/**
 * Signed price move: 10,000 × (mid_T / earlier mid − 1), basis points, 6 decimals. Window: six packets, 60 s, for
 * lineage_price_move_bps_abs; the lane's packets for short_window. Source: the usual simple return.
 */
export function priceMoveBps(mid: number, earlierMid: number): number {
  return round6(10_000 * (mid / earlierMid - 1));
}

/**
 * Realized volatility of 10 s log mid returns: their root mean square, per 10 s, not annualized, 12 decimals. Null with
 * fewer than `minimum` returns. Windows: the last 30 (short, 5 min if all exist) and up to 2,160 (session, 6 h)
 * existing returns. Source: realized volatility (T. Andersen, T. Bollerslev, F. Diebold and P. Labys, "Modeling and
 * Forecasting Realized Volatility", 2003); there the sum of squares, here their mean, so that windows of different
 * length compare.
 */
export function realizedVolatility(returns: readonly number[], minimum: number): number | null {
  if (returns.length < minimum) return null;
  let squares = 0;
  for (const value of returns) squares += value * value;
  return round12(Math.sqrt(squares / returns.length));
}

export interface PricePoint {
  readonly mid: number | null;
  readonly bookTsMs: number | null;
  readonly fresh: boolean;
}

/** Null unless both packets had a fresh book and no book cut lies between them. */
export function returnBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : logReturn(mids.current, mids.earlier);
}

export function moveBetween(earlier: PricePoint | undefined, current: PricePoint, cuts: Cuts): number | null {
  const mids = comparableMids(earlier, current, cuts);
  return mids === null ? null : priceMoveBps(mids.current, mids.earlier);
}

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
