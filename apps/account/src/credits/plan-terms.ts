import type { CreditKind } from '@market-state/pricing';
import type { PlanState } from './book';
import { creditsOf } from './bring-up-to-date';
import { periodAt, type Renewal } from './calendar';

/** What of a tenant's stored plan its terms are made from. */
export type StoredPlan = Pick<PlanState, 'planId' | 'renewal' | 'anchorMs' | 'untilMs' | 'periodToMs' | 'ownCredits'>;

/** What a plan gives, and until when. */
export interface PlanTerms {
  /** Of a period. */
  readonly credits: Readonly<Record<CreditKind, number>>;
  readonly renewal: Renewal;
  /** When credits are given next; null: they are not given again. */
  readonly renewsMs: number | null;
  /** When the plan ends, and its credits with it; null: it has no end. */
  readonly endsMs: number | null;
}

/** Null for a tenant without a plan. */
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
