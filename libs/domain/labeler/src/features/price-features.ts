import { naturalLog } from '../numbers/natural-log';
import { round12, round6 } from '../numbers/round';

/**
 * Log return between two mids ten seconds apart: ln(mid_T / mid of T − 10 s). No unit, 0 where the mid stood still, 12 decimals. Source:
 * the usual continuously compounded return, of mids so that it does not bounce between bid and ask.
 */
export function logReturn(mid: number, earlierMid: number): number {
  return round12(naturalLog(mid / earlierMid));
}

/**
 * Signed price move: 10,000 × (mid_T / earlier mid − 1). Basis points, above −10,000, 6 decimals. Window: six packets, 60 s, for
 * lineage_price_move_bps_abs; the packets of the lane for short_window. Source: the usual simple return.
 */
export function priceMoveBps(mid: number, earlierMid: number): number {
  return round6(10_000 * (mid / earlierMid - 1));
}

/**
 * Realized volatility of 10 s log mid returns: their root mean square. A return per 10 s, not annualized, at least 0, 12 decimals. Null
 * under `minimum` returns. Windows: the last 30 (short, 5 min if all exist) and up to 2,160 (session, 6 h) returns that exist.
 * Source: realized volatility (T. Andersen, T. Bollerslev, F. Diebold and P. Labys, "Modeling and Forecasting Realized Volatility", 2003);
 * there the sum of squares, here their mean, so that windows of different length compare.
 */
export function realizedVolatility(returns: readonly number[], minimum: number): number | null {
  if (returns.length < minimum) return null;
  let squares = 0;
  for (const value of returns) squares += value * value;
  return round12(Math.sqrt(squares / returns.length));
}
