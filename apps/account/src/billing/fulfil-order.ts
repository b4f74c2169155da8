import { newId } from '@market-state/credentials';
import { failedPrecondition, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { grantPlan, grantTopup } from '../credits/grants';
import { insertInvoice } from '../store/invoices';
import {
  markFulfilled,
  lockOrder,
  closeOrder,
  markSubscriptionEnded,
  writeSubscription,
  findNewestPlanOrder,
  listReplacedSubscriptions,
} from '../store/orders';
import type { Order } from './order';
import { insertProviderEvent } from '../store/billing-provider';
import { findPlanOfTenant } from '../store/tenants';
import type { BillingEvent, BillingNews } from './provider';
import type { AccountDeps } from '../deps';

const NO_OWN_CREDITS = { market_state: null, export: null };

const ORDER_ID_PATTERN = /^ord_[0-9a-z]{26}$/;

type FulfilDeps = Pick<AccountDeps, 'pool' | 'clock' | 'randomBytes'>;

/**
 * Grants an order's credits or plan, in the transaction that locks the order.
 * @returns false if it was already fulfilled
 */
async function fulfilOrder(client: PoolClient, order: Order, nowMs: number): Promise<boolean> {
  if (order.status === 'fulfilled') return false;
  await markFulfilled(client, order.id, nowMs);
  if (order.planId === 'topup') {
    await grantTopup(client, order.tenantId, { operationId: order.id, nowMs });
    return true;
  }
  await grantPaidMonths(client, order, order.planId, order.id, nowMs);
  return true;
}

/**
 * Adds a further period to the order's plan.
 * @param periodFromMs start of the period, which makes the call idempotent
 */
async function fulfilPeriod(client: PoolClient, order: Order, periodFromMs: number, nowMs: number): Promise<boolean> {
  if (order.planId === 'topup') return false;
  return grantPaidMonths(client, order, order.planId, `${order.id}:${new Date(periodFromMs).toISOString()}`, nowMs);
}

function grantPaidMonths(
  client: PoolClient,
  order: Order,
  planId: Exclude<Order['planId'], 'topup'>,
  operationId: string,
  nowMs: number,
): Promise<boolean> {
  const months = order.interval === 'year' ? 12 : 1;
  return grantPlan(client, order.tenantId, { planId, renewal: 'monthly', operationId, months, ownCredits: NO_OWN_CREDITS, nowMs });
}

interface InvoiceEntry {
  readonly status: 'paid' | 'approved';
  readonly amountCents: number;
  readonly createdMs: number;
  readonly documentUrl: string;
  readonly providerInvoiceId: string | null;
}

async function writeInvoice(client: PoolClient, { randomBytes }: FulfilDeps, order: Order, entry: InvoiceEntry): Promise<void> {
  const { tenantId, id: orderId, provider, planId, interval } = order;
  await insertInvoice(client, { ...entry, id: newId('inv', randomBytes), tenantId, orderId, provider, planId, interval });
}

/**
 * Fulfils an order of the offline provider, once.
 * @throws ServiceError `unknown_order` or `order_not_open`
 */
export function approveOrder(deps: FulfilDeps, orderId: string): Promise<{ readonly order: Order; readonly isFulfilledNow: boolean }> {
  return inTransaction(deps.pool, async (client) => {
    const order = ORDER_ID_PATTERN.test(orderId) ? await lockOrder(client, orderId) : undefined;
    if (order === undefined || order.provider !== 'offline')
      throw notFound('unknown_order', 'There is no such order of the offline provider.');
    if (order.status !== 'open' && order.status !== 'fulfilled')
      throw failedPrecondition('order_not_open', `The order is ${order.status}.`);
    const nowMs = deps.clock();
    const isFulfilledNow = await fulfilOrder(client, order, nowMs);
    if (isFulfilledNow) {
      const { amountCents } = order;
      await writeInvoice(client, deps, order, {
        status: 'approved',
        amountCents,
        createdMs: nowMs,
        documentUrl: '',
        providerInvoiceId: null,
      });
    }
    return { order, isFulfilledNow };
  });
}

async function isNewestPlan(client: PoolClient, order: Order): Promise<boolean> {
  return (await findNewestPlanOrder(client, order.tenantId)) === order.id;
}

/** Safe to repeat: a subscription's end is recorded when the provider reports it. */
async function endSuperseded({ pool, provider }: ReceiveDeps, tenantId: string): Promise<void> {
  for (const subscriptionId of await listReplacedSubscriptions(pool, tenantId)) await provider.endSubscription(subscriptionId);
}

export type ReceiveDeps = FulfilDeps & Pick<AccountDeps, 'provider' | 'logger'>;

type OrderNews = Exclude<BillingNews, { readonly kind: 'other' }>;

/**
 * Applies an event once: its effect and its record share a transaction. If cancelling superseded subscriptions fails,
 * the event is rejected so that the provider sends it again.
 */
export async function receiveEvent(deps: ReceiveDeps, event: BillingEvent): Promise<void> {
  const { news } = event;
  if (news.kind === 'other') return;
  const order = await inTransaction(deps.pool, (client) => actOnce(client, deps, event, news));
  if (order === undefined) {
    deps.logger.warn({ event_id: event.id, type: event.type }, 'billing event names an unknown order');
    return;
  }
  if (order.planId !== 'topup' && news.kind !== 'subscription_ended') await endSuperseded(deps, order.tenantId);
}

async function actOnce(client: PoolClient, deps: ReceiveDeps, event: BillingEvent, news: OrderNews): Promise<Order | undefined> {
  const order = await lockOrder(client, news.orderId);
  if (order === undefined || order.provider !== deps.provider.name) return undefined;
  const nowMs = deps.clock();
  if (await insertProviderEvent(client, event, nowMs)) {
    await act(client, deps, order, news, nowMs);
    deps.logger.info({ event_id: event.id, type: event.type, order_id: order.id, tenant_id: order.tenantId }, 'billing event');
  }
  return order;
}

async function act(client: PoolClient, deps: ReceiveDeps, order: Order, news: OrderNews, nowMs: number): Promise<void> {
  switch (news.kind) {
    case 'order_paid': {
      await rememberSubscription(client, order, news.subscriptionId);
      const isFulfilledNow = await fulfilOrder(client, order, nowMs);
      if (!isFulfilledNow || order.planId !== 'topup') return;
      const { amountCents } = order;
      return writeInvoice(client, deps, order, { status: 'paid', amountCents, createdMs: nowMs, documentUrl: '', providerInvoiceId: null });
    }
    case 'order_closed':
      return closeOrder(client, order.id, news.status);
    case 'period_started':
      await rememberSubscription(client, order, news.subscriptionId);
      return goOn(client, deps, order, news.periodFromMs, nowMs);
    case 'invoice_paid':
      await rememberSubscription(client, order, news.subscriptionId);
      await writeInvoice(client, deps, order, { status: 'paid', ...news.invoice });
      if (news.period.kind === 'later') return goOn(client, deps, order, news.period.fromMs, nowMs);
      if (news.period.kind === 'first') await fulfilOrder(client, order, nowMs);
      return;
    case 'subscription_ended':
      return markSubscriptionEnded(client, order.id, news.endedMs);
    default:
      news satisfies never;
  }
}

/** A further period counts only if the tenant still has this order's plan. */
async function goOn(client: PoolClient, deps: ReceiveDeps, order: Order, periodFromMs: number, nowMs: number): Promise<void> {
  const planId = await findPlanOfTenant(client, order.tenantId);
  if (order.status === 'fulfilled' && planId === order.planId && (await isNewestPlan(client, order))) {
    await fulfilPeriod(client, order, periodFromMs, nowMs);
    return;
  }
  deps.logger.warn(
    { order_id: order.id, tenant_id: order.tenantId },
    'billing period reported for an order that is no longer the current plan: nothing granted',
  );
}

async function rememberSubscription(client: PoolClient, order: Order, subscriptionId: string | null): Promise<void> {
  if (subscriptionId !== null) await writeSubscription(client, order.id, subscriptionId);
}
