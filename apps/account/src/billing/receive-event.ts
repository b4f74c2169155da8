import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import {
  closeOrder,
  lockOrder,
  markSubscriptionEnded,
  writeSubscription,
  findNewestPlanOrder,
  listReplacedSubscriptions,
} from '../store/orders';
import { insertProviderEvent } from '../store/billing-provider';
import { findPlanOfTenant } from '../store/tenants';
import { type FulfilDeps, fulfilOrder, fulfilPeriod, writeInvoice } from './fulfil-order';
import type { Order } from './order';
import type { BillingEvent, BillingNews, BillingProvider } from './provider';

async function isNewestPlan(client: PoolClient, order: Order): Promise<boolean> {
  return (await findNewestPlanOrder(client, order.tenantId)) === order.id;
}

/** Safe to repeat: a subscription's end is recorded when the provider reports it. */
async function endSuperseded(
  { pool, provider }: { readonly pool: Pool; readonly provider: BillingProvider },
  tenantId: string,
): Promise<void> {
  for (const subscriptionId of await listReplacedSubscriptions(pool, tenantId)) await provider.endSubscription(subscriptionId);
}

export interface ReceiveDeps extends FulfilDeps {
  readonly pool: Pool;
  readonly provider: BillingProvider;
  readonly logger: Logger;
}

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
