import type { account } from '@market-state/contracts';
import { second } from '../io/instant';
import { wholeTable } from '../io/table';
import type { AccountCalls } from './account-service';
import type { OrderWord } from './order-words';
import type { Done } from './done';
import { findTenant } from './tenants';

const PAGE_SIZE = 1_000;

/** Orders of a tenant, or of all, oldest first. */
export async function listOrders(
  calls: AccountCalls,
  { tenant, status }: { readonly tenant?: string; readonly status: OrderWord },
): Promise<Done> {
  const tenantId = tenant === undefined ? '' : (await findTenant(calls, tenant)).tenantId;
  const rows: (readonly string[])[] = [];
  let cursor = '';
  do {
    const page = await calls.operator.listOrders({ tenantId, status: status === 'all' ? '' : status, limit: PAGE_SIZE, cursor });
    rows.push(...page.orders.flatMap(rowOf));
    cursor = page.nextCursor;
  } while (cursor !== '');
  return {
    lines: wholeTable(['order', 'tenant', 'name', 'for', 'every', 'US dollars', 'provider', 'status', 'made', 'fulfilled'], rows, 5),
  };
}

export async function approveOrder({ operator }: AccountCalls, orderId: string): Promise<Done> {
  const { tenantId, planId, fulfilledNow } = await operator.approveOrder({ orderId });
  return { lines: [fulfilledNow ? `${orderId}: ${tenantId} has its ${planId} now.` : `${orderId} was fulfilled before: nothing changed.`] };
}

function rowOf({ order, tenantId, tenantName, fulfilledTsMs }: account.OperatorOrder): (readonly string[])[] {
  if (order === undefined) return [];
  const { orderId, planId, billingInterval, amountCents, provider, status, createdTsMs } = order;
  const dollars = (amountCents / 100).toFixed(2);
  return [
    [
      orderId,
      tenantId,
      tenantName,
      planId,
      billingInterval === '' ? '-' : billingInterval,
      dollars,
      provider,
      status,
      second(createdTsMs),
      fulfilledTsMs === 0 ? '-' : second(fulfilledTsMs),
    ],
  ];
}
