import { type CreditKind, findPlan, type PlanId } from '@market-state/pricing';
import { addMonths, dayOf, monthOf, type Period, periodAt, windowAt } from './calendar';
import { type Book, CREDIT_KINDS, type Hold, type PlanState } from './credit-ledger';
import { give, post } from './give';
import { giveBack, leftInHolds } from './hold';

/**
 * Applies everything driven by time: new days, months and windows, ended holds and grants, the plan's current period.
 * Runs before any work on a book, so that balances do not depend on reads. Skipped periods give no credits.
 * @returns the holds that ended
 */
export function bringUpToDate(book: Book): Hold[] {
  beginDay(book);
  beginWindows(book);
  const overdue = book.holds.filter(({ releaseMs }) => releaseMs <= book.nowMs);
  for (const held of overdue) giveBack(book, held);
  expireGrants(book);
  renew(book);
  return overdue;
}

function beginDay(book: Book): void {
  const todayMs = dayOf(book.nowMs);
  for (const kind of CREDIT_KINDS) {
    const totals = book.totals[kind];
    if (todayMs <= totals.dayMs) continue;
    if (monthOf(todayMs) !== monthOf(totals.dayMs)) totals.spentMonth = 0;
    totals.spentDay = 0;
    totals.dayMs = todayMs;
  }
}

function beginWindows(book: Book): void {
  for (const ceiling of book.ceilings) {
    const { fromMs } = windowAt(ceiling.windowSeconds, book.nowMs);
    if (fromMs <= ceiling.windowFromMs) continue;
    ceiling.windowFromMs = fromMs;
    ceiling.spent = 0;
    book.changedCeilings.add(ceiling);
  }
}

function expireGrants(book: Book): void {
  for (const grant of book.grants) {
    if (grant.left === 0 || grant.expiresMs === null || grant.expiresMs > book.nowMs) continue;
    const { id, kind, left } = grant;
    post(book, {
      operationId: id,
      phase: 'expire',
      // Credits held when the grant ended expire when they come back. The amount expired before makes `part` unique.
      part: grant.amount - grant.spent - left - leftInHolds(book, grant),
      countedOnMs: book.totals[kind].dayMs,
      entries: [
        { kind, account: 'grant', grantId: id, amount: -left },
        { kind, account: 'expired', grantId: null, amount: left },
      ],
    });
  }
}

function renew(book: Book): void {
  const { plan, nowMs } = book;
  if (plan.planId === null || plan.anchorMs === null || plan.renewal === 'none' || plan.disabled) return;
  if (plan.periodToMs !== null && nowMs < plan.periodToMs) return;
  const period = periodAt(plan.renewal, plan.anchorMs, nowMs);
  if (plan.untilMs !== null && period.fromMs >= plan.untilMs) return;
  beginPeriod(book, plan.planId, period);
}

export function beginPeriod(book: Book, planId: PlanId, period: Period): void {
  const { plan } = book;
  const credits = creditsOf(plan, planId);
  plan.periodFromMs = period.fromMs;
  plan.periodToMs = period.toMs;
  book.planChanged = true;
  const operationId = `${planId}:${new Date(period.fromMs).toISOString()}`;
  if (credits.market_state + credits.export === 0 || book.grants.some((grant) => grant.operationId === operationId)) return;
  const source = planId === 'trial' || planId === 'sandbox' ? planId : 'plan';
  give(book, {
    source,
    operationId,
    note: '',
    credits,
    expiresMs: period.toMs,
  });
}

export function creditsOf({ ownCredits }: Pick<PlanState, 'ownCredits'>, planId: PlanId): Record<CreditKind, number> {
  const credits = findPlan(planId)?.credits;
  return { market_state: ownCredits.market_state ?? credits?.market_state ?? 0, export: ownCredits.export ?? credits?.export ?? 0 };
}

/** First period: the plan's fixed days, its first day or month, or one month if it does not renew. */
export function firstPeriod(planId: PlanId, renewal: PlanState['renewal'], nowMs: number): Period {
  const days = findPlan(planId)?.days;
  if (typeof days === 'number') return { fromMs: nowMs, toMs: nowMs + days * 86_400_000 };
  return renewal === 'daily' ? periodAt('daily', nowMs, nowMs) : { fromMs: nowMs, toMs: addMonths(nowMs, 1) };
}
