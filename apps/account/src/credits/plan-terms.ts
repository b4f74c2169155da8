import type { CreditKind } from '@market-state/pricing';
import type { PlanState } from './credit-ledger';
import { creditsOf } from './bring-up-to-date';
import { periodAt, type Renewal } from './calendar';

export type StoredPlan = Pick<PlanState, 'planId' | 'renewal' | 'anchorMs' | 'untilMs' | 'periodToMs' | 'ownCredits'>;

export interface PlanTerms {
  readonly credits: Readonly<Record<CreditKind, number>>;
  readonly renewal: Renewal;
  readonly renewsMs: number | null;
  /** End of the plan and its credits; null: never. */
  readonly endsMs: number | null;
}

export function planTermsOf(stored: StoredPlan, nowMs: number): PlanTerms | null {
  const { planId, renewal, untilMs, periodToMs } = stored;
  if (planId === null) return null;
  return {
    credits: creditsOf(stored, planId),
    renewal,
    renewsMs: renewalOf(stored, nowMs),
    endsMs: renewal === 'none' ? periodToMs : untilMs,
  };
}

function renewalOf({ renewal, anchorMs, untilMs }: StoredPlan, nowMs: number): number | null {
  if (renewal === 'none' || anchorMs === null) return null;
  const { toMs } = periodAt(renewal, anchorMs, nowMs);
  return untilMs !== null && untilMs <= toMs ? null : toMs;
}
