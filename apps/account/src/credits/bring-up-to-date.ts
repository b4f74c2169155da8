import { type CreditKind, findPlan, type PlanId } from '@market-state/pricing';
import { addMonths, dayOf, monthOf, type Period, periodAt, windowAt } from './calendar';
import { type Book, CREDIT_KINDS, type Hold, type PlanState } from './book';
import { give, post } from './give';
import { giveBack, leftInHolds } from './hold';

/**
 * Does what time alone brings: a new day and month, new windows of ceilings, the end of holds and grants, the credits of the plan's current
 * period. Whoever works on a book does this first, so that a balance never depends on when somebody last looked. Of periods that passed
 * unseen only the current one gives credits.
 * @returns the holds that it ended
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
      // Credits that were held when the grant ended come back later, and end then: what had ended before tells the postings apart.
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

/** Gives the credits of a period of the plan, unless they were given. */
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

/** Credits of a period of the plan. */
export function creditsOf({ ownCredits }: Pick<PlanState, 'ownCredits'>, planId: PlanId): Record<CreditKind, number> {
  const credits = findPlan(planId)?.credits;
  return { market_state: ownCredits.market_state ?? credits?.market_state ?? 0, export: ownCredits.export ?? credits?.export ?? 0 };
}

/** The period that begins with a plan: its days, a day or month of its renewal, or the one month of a plan that is not renewed. */
export function firstPeriod(planId: PlanId, renewal: PlanState['renewal'], nowMs: number): Period {
  const days = findPlan(planId)?.days;
  if (typeof days === 'number') return { fromMs: nowMs, toMs: nowMs + days * 86_400_000 };
  return renewal === 'daily' ? periodAt('daily', nowMs, nowMs) : { fromMs: nowMs, toMs: addMonths(nowMs, 1) };
}
