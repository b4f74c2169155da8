import { naturalLog } from '../numbers/natural-log';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { term, type CompositeSignal } from './signal';

/** Realized volatilities at T; null while there are fewer than 30 returns, and without a book. */
export interface RegimeInput {
  readonly short: number | null;
  readonly session: number | null;
}

/**
 * Regime: R = min(1, |ln(realized_vol_short / realized_vol_session)| / ln 4), 0..1, no side: how far the last five minutes move unlike the
 * session, in either direction; 1 at four times or a quarter. No unit, 6 decimals. 0 if either volatility is 0 or missing. Windows: 30 and
 * up to 2,160 returns of 10 s. Source: ours, over realized volatilities (see `realizedVolatility`).
 */
export function regime(input: RegimeInput, bookMissing: boolean, numbers: PolicyNumbers): CompositeSignal {
  const { short, session } = input;
  const known = short !== null && session !== null && short > 0 && session > 0;
  const score = known ? round6(Math.min(1, Math.abs(naturalLog(short / session)) / naturalLog(numbers.composites.regime_full_ratio))) : 0;
  return {
    score,
    signed: score,
    side: 0,
    available: short !== null && session !== null,
    terms: [term('realized_vol_short', short, bookMissing), term('realized_vol_session', session, bookMissing)],
  };
}
