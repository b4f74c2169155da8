import type { CreditKind } from '@market-state/pricing';
import { type Book, CREDIT_KINDS, type Grant } from './book';
import { monthOf } from './calendar';

const PERCENTS = [80, 100];

/** Notes the thresholds of use that a charge has passed. Each is told once in its period, whoever passes it again. */
export const tellThresholds = { ofGrant, ofMonth };

/** Of the credits that a plan gave for its period. */
function ofGrant(book: Book, grant: Grant, spentBefore: number): void {
  if (grant.source !== 'plan') return;
  for (const percent of passed(spentBefore, grant.spent, grant.amount)) {
    book.events.push({
      kind: 'usage.threshold_reached',
      occasion: `plan:${grant.kind}:${grant.id}:${percent}`,
      payload: {
        control: 'plan_credits',
        credit_kind: grant.kind,
        percent,
        limit: grant.amount,
        used: grant.spent,
        period_from_ms: grant.grantedMs,
      },
    });
  }
}

/** Of the monthly cap. */
function ofMonth(book: Book, kind: CreditKind, spentBefore: number): void {
  const cap = book.controls.monthlyCreditCap;
  if (kind !== CREDIT_KINDS[0] || cap === null) return;
  const { spentMonth, dayMs } = book.totals[kind];
  const monthMs = monthOf(dayMs);
  for (const percent of passed(spentBefore, spentMonth, cap)) {
    book.events.push({
      kind: 'usage.threshold_reached',
      occasion: `monthly_credit_cap:${new Date(monthMs).toISOString().slice(0, 7)}:${percent}`,
      payload: { control: 'monthly_credit_cap', credit_kind: kind, percent, limit: cap, used: spentMonth, period_from_ms: monthMs },
    });
  }
}

function passed(before: number, after: number, limit: number): number[] {
  return PERCENTS.filter((percent) => before * 100 < limit * percent && after * 100 >= limit * percent);
}
