import { round12, round6 } from '../numbers/round';

/** Log return between two mids ten seconds apart, ln(mid_T / mid_(T − 10 s)), 12 decimals. */
export function logReturn(mid: number, earlierMid: number): number {
  return round12(Math.log(mid / earlierMid));
}

/** Signed price move in basis points: 10,000 × (mid_T / earlier mid − 1). */
export function priceMoveBps(mid: number, earlierMid: number): number {
  return round6(10_000 * (mid / earlierMid - 1));
}

/**
 * Realized volatility of 10 s log mid returns: their root mean square, not annualized, 12 decimals, at least 0. Null under `minimum`
 * returns. Windows: the last 30 (short) and up to 2,160 (session) returns. Source: realized volatility (Andersen and Bollerslev, 1998).
 */
export function realizedVolatility(returns: readonly number[], minimum: number): number | null {
  if (returns.length < minimum) return null;
  let squares = 0;
  for (const value of returns) squares += value * value;
  return round12(Math.sqrt(squares / returns.length));
}
