import { type CreditKind, type PlanId, topup } from '@market-state/pricing';
import type { PoolClient } from 'pg';
import { hasGrantPosting } from '../store/receipts';
import type { Book, GrantSource } from './credit-ledger';
import { beginPeriod, firstPeriod } from './bring-up-to-date';
import { addMonths, type Renewal } from './calendar';
import { give } from './give';
import { withBook } from './with-credit-ledger';

/** A payment this late still continues the calendar of the last paid month. */
const LATE_PAYMENT_MS = 7 * 86_400_000;

export interface PlanOrder {
  readonly planId: PlanId;
  readonly renewal: Renewal;
  /** Idempotency key, such as an order id. Null: derived from the tenant's state. */
  readonly operationId: string | null;
  /** Paid months, null: unlimited. Added to months already paid if the plan is unchanged. */
  readonly months: number | null;
  /** Contractual credits per period; null: the plan's default. */
  readonly ownCredits: Readonly<Record<CreditKind, number | null>>;
  readonly nowMs: number;
}

/**
 * Sets a tenant's plan and grants its first period, unless the plan is unchanged and the period already granted.
 * Credits of the previous plan remain until they expire.
 * @returns false if nothing changed
 * @throws ServiceError `unknown_tenant`
 */
export function grantPlan(client: PoolClient, tenantId: string, order: PlanOrder): Promise<boolean> {
  return withBook(client, tenantId, order.nowMs, async (book) => {
    if (order.operationId !== null) {
      if (await hasGrantPosting(client, tenantId, order.operationId)) return false;
      book.postings.push({
        operationId: order.operationId,
        phase: 'grant',
        part: 0,
        countedOnMs: book.totals.market_state.dayMs,
        entries: [],
      });
    }
    if (hasPlan(book, order)) return extendPlan(book, order);
    beginPlan(book, order);
    return true;
  });
}

function hasPlan({ plan }: Book, { planId, renewal, ownCredits, nowMs }: PlanOrder): boolean {
  return (
    plan.planId === planId &&
    plan.renewal === renewal &&
    plan.ownCredits.market_state === ownCredits.market_state &&
    plan.ownCredits.export === ownCredits.export &&
    (plan.untilMs === null || nowMs < plan.untilMs + LATE_PAYMENT_MS)
  );
}

function extendPlan(book: Book, { months }: PlanOrder): boolean {
  const { plan } = book;
  if (plan.untilMs === null || plan.anchorMs === null) return false;
  let paid = 0;
  while (addMonths(plan.anchorMs, paid) < plan.untilMs) paid += 1;
  plan.untilMs = months === null ? null : addMonths(plan.anchorMs, paid + months);
  book.planChanged = true;
  return true;
}

function beginPlan(book: Book, { planId, renewal, operationId, months, ownCredits, nowMs }: PlanOrder): void {
  if (book.plan.planId !== null && book.plan.planId !== planId) {
    const occasion = `plan ${planId} ${operationId ?? new Date(nowMs).toISOString()}`;
    book.events.push({ kind: 'plan.changed', occasion, payload: { plan_id: planId } });
  }
  Object.assign(book.plan, {
    planId,
    renewal,
    anchorMs: nowMs,
    untilMs: months === null ? null : addMonths(nowMs, months),
    ownCredits: { ...ownCredits },
  });
  beginPeriod(book, planId, firstPeriod(planId, renewal, nowMs));
}

/** Grants top-up credits, which never expire. @returns false if the operation already granted them */
export function grantTopup(
  client: PoolClient,
  tenantId: string,
  order: { readonly operationId: string; readonly nowMs: number },
): Promise<boolean> {
  return grantCredits(client, tenantId, { ...order, source: 'topup', note: '', credits: topup.credits, expiresMs: null });
}

export function grantTrial(client: PoolClient, tenantId: string, nowMs: number): Promise<boolean> {
  return grantPlan(client, tenantId, { planId: 'trial', ...GIVEN_ONCE, nowMs });
}

export function grantSandbox(client: PoolClient, tenantId: string, nowMs: number): Promise<boolean> {
  return grantPlan(client, tenantId, { planId: 'sandbox', ...GIVEN_ONCE, nowMs });
}

const GIVEN_ONCE = { renewal: 'none', operationId: null, months: null, ownCredits: { market_state: null, export: null } } as const;

interface CreditOrder {
  readonly source: Exclude<GrantSource, 'plan'>;
  readonly operationId: string;
  readonly note: string;
  readonly credits: Readonly<Record<CreditKind, number>>;
  readonly expiresMs: number | null;
  readonly nowMs: number;
}

/**
 * @returns false if the operation already granted them
 * @throws ServiceError `unknown_tenant`
 */
export function grantCredits(client: PoolClient, tenantId: string, order: CreditOrder): Promise<boolean> {
  return withBook(client, tenantId, order.nowMs, async (book) => {
    if (await hasGrantPosting(client, tenantId, order.operationId)) return false;
    give(book, order);
    return true;
  });
}
