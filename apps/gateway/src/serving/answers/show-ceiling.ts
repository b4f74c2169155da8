import type { account } from '@market-state/contracts';
import { toUtc } from '../meta/utc';
import type { Described } from '../openapi/described';

/** The credit ceiling of a key; null where it has none. */
export function showCeiling(standing: account.CeilingStanding | undefined): Described<'CreditCeiling'> {
  if (standing?.ceiling === undefined) return null;
  const { ceiling, spent, available, resetsTsMs } = standing;
  return { credits: ceiling.credits, window_seconds: ceiling.windowSeconds, spent, available, resets_at_utc: toUtc(resetsTsMs) };
}
