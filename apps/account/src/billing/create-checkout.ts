import { newId } from '@market-state/credentials';
import { notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { type CallOperation, holdOperation } from '../idempotency/calls';
import { insertOrder, writeCheckout } from '../store/orders';
import type { Item, Order } from './order';
import type { BillingProvider } from './provider';

const FOREIGN_KEY_VIOLATION = '23503';

interface CheckoutDeps {
  readonly pool: Pool;
  readonly provider: BillingProvider;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

interface CheckoutRequest {
  readonly tenantId: string;
  /** Null if a key made the call. */
  readonly accountId: string | null;
  readonly item: Item;
  readonly references: Readonly<Record<string, string>>;
  /** Null: every call creates an order. */
  readonly operation: CallOperation | null;
}

/**
 * Records an order once per operation, then opens its checkout. If that fails, the order has no URL until a retry. If
 * the provider's response is lost, a payment still finds the order by its id.
 * @throws ServiceError `unknown_tenant`, `fence_passed` or `billing_provider_unavailable`
 */
export async function createCheckout(deps: CheckoutDeps, request: CheckoutRequest): Promise<Order> {
  const order = await inTransaction(deps.pool, (client) => recordOnce(client, deps, request));
  if (order.checkoutUrl !== '') return order;
  const item = { ...request.item, amountCents: order.amountCents };
  const { checkoutUrl, expiresMs } = await deps.provider.openCheckout({ orderId: order.id, tenantId: order.tenantId, item });
  const opened = await writeCheckout(deps.pool, order.id, checkoutUrl, expiresMs);
  if (opened === undefined) throw notFound('unknown_order', 'There is no such order.');
  return opened;
}

async function recordOnce(client: PoolClient, { provider, clock, randomBytes }: CheckoutDeps, request: CheckoutRequest): Promise<Order> {
  const { tenantId, accountId, item, references, operation } = request;
  if (operation !== null) await holdOperation(client, tenantId, operation);
  const inserted = insertOrder(client, {
    id: newId('ord', randomBytes),
    tenantId,
    accountId,
    provider: provider.name,
    ...item,
    references,
    createdMs: clock(),
    operationId: operation?.id ?? null,
  });
  const order = await inserted.catch((error: Error & { readonly code?: string }) => {
    throw error.code === FOREIGN_KEY_VIOLATION ? notFound('unknown_tenant', 'There is no such tenant.') : error;
  });
  if (order === undefined) throw new Error('an order was neither written nor found');
  return order;
}
