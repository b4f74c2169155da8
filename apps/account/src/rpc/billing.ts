import { account } from '@market-state/contracts';
import { type Fault, invalidArgument, isServiceError, notFound } from '@market-state/errors';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable, inTransaction } from '@market-state/postgres';
import type { BillingInterval } from '@market-state/pricing';
import { controlFaults, idFaults, lengthFaults, optionalIdFaults } from '@market-state/request-checks';
import { newId } from '@market-state/credentials';
import type { PoolClient } from 'pg';
import { type Order, itemOf, SOLD, type Item } from '../billing/order';
import * as events from '../billing/fulfil-order';
import type { ReceiveDeps } from '../billing/fulfil-order';
import { operationFaults, readOperation } from './operation';
import * as store from '../store/invoices';
import type { Invoice } from '../store/invoices';
import { listTenantOrders as readTenantOrders, insertOrder, writeCheckout } from '../store/orders';
import { pageOfTenant } from './page';
import { returnAddress } from '../billing/return-url';
import { overviewOf } from '../tenants';
import { type CallOperation, holdOperation } from '../idempotent-calls';

const REFERENCE_LENGTH_MAX = 255;

const REFERENCES_MAX = 20;

interface BillingDeps extends ReceiveDeps {
  readonly publicBaseUrl: string;
  readonly allowedOrigins: readonly string[];
}

const FOREIGN_KEY_VIOLATION = '23503';

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
async function placeOrder(deps: BillingDeps, request: CheckoutRequest): Promise<Order> {
  const order = await inTransaction(deps.pool, (client) => recordOnce(client, deps, request));
  if (order.checkoutUrl !== '') return order;
  const item = { ...request.item, amountCents: order.amountCents };
  const { checkoutUrl, expiresMs } = await deps.provider.openCheckout({ orderId: order.id, tenantId: order.tenantId, item });
  const opened = await writeCheckout(deps.pool, order.id, checkoutUrl, expiresMs);
  if (opened === undefined) throw notFound('unknown_order', 'There is no such order.');
  return opened;
}

async function recordOnce(client: PoolClient, { provider, clock, randomBytes }: BillingDeps, request: CheckoutRequest): Promise<Order> {
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

async function createCheckout(deps: BillingDeps, request: account.CreateCheckoutRequest): Promise<account.CreateCheckoutResponse> {
  const interval = intervalOf(request.billingInterval);
  const item = itemOf(request.planId, interval ?? 'month');
  const faults = faultsOf(request, item !== undefined, interval !== undefined);
  if (faults.length > 0 || item === undefined) throw invalidArgument(faults);
  const { tenantId, accountId, references } = request;
  const order = await placeOrder(deps, {
    tenantId,
    accountId: accountId === '' ? null : accountId,
    item,
    references,
    operation: readOperation(request),
  });
  deps.logger.info({ order_id: order.id, tenant_id: tenantId, plan_id: order.planId }, 'checkout opened');
  return { order: toProtoOrder(order) };
}

function faultsOf(request: account.CreateCheckoutRequest, isSold: boolean, isInterval: boolean): Fault[] {
  const entries = Object.entries(request.references);
  return [
    ...idFaults('tenant_id', request.tenantId),
    ...optionalIdFaults('account_id', request.accountId),
    ...operationFaults(request),
    ...(isSold ? [] : [{ field: 'plan_id', message: `must be one of ${SOLD.join(', ')}`, type: 'enum' }]),
    ...(isInterval ? [] : [{ field: 'billing_interval', message: 'must be month or year', type: 'enum' }]),
    ...(entries.length <= REFERENCES_MAX ? [] : [{ field: 'references', message: `must be at most ${REFERENCES_MAX}`, type: 'too_long' }]),
    ...entries.flatMap(([name, value]) => [
      ...idFaults('references', name),
      ...lengthFaults(name, value, 0, REFERENCE_LENGTH_MAX),
      ...controlFaults(name, value),
    ]),
  ];
}

function intervalOf(word: string): BillingInterval | undefined {
  return word === 'month' || word === 'year' ? word : undefined;
}

async function listInvoices({ pool }: BillingDeps, request: account.ListInvoicesRequest): Promise<account.ListInvoicesResponse> {
  const { page, nextCursor } = await pageOfTenant(pool, ['i1', 'invoice'], request, store.listInvoices, placeOf);
  return { invoices: page.map(toProtoInvoice), nextCursor };
}

async function listTenantOrders(
  { pool }: BillingDeps,
  request: account.ListTenantOrdersRequest,
): Promise<account.ListTenantOrdersResponse> {
  const { page, nextCursor } = await pageOfTenant(pool, ['b1', 'billing_order'], request, readTenantOrders, placeOf);
  return { orders: page.map(toProtoOrder), nextCursor };
}

function placeOf({ createdMs, id }: Invoice | Order) {
  return { atMs: createdMs, id };
}

async function openPortal(deps: BillingDeps, { tenantId, returnUrl }: account.OpenPortalRequest): Promise<account.OpenPortalResponse> {
  const address = returnAddress(returnUrl, deps.publicBaseUrl, deps.allowedOrigins);
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...(address === null
      ? [
          {
            field: 'return_url',
            message: 'must be empty, a path that begins with a single /, or a URL on an allowed origin',
            type: 'malformed',
          },
        ]
      : []),
  ];
  if (faults.length > 0 || address === null) throw invalidArgument(faults);
  await overviewOf(deps.pool, tenantId, deps.clock());
  return { provider: deps.provider.name, portalUrl: await deps.provider.openPortal(tenantId, address) };
}

async function receiveEvent(deps: BillingDeps, { body, signature }: account.ReceiveEventRequest): Promise<account.ReceiveEventResponse> {
  await events.receiveEvent(deps, read(deps, body, signature));
  return {};
}

function read({ provider, logger }: BillingDeps, body: Uint8Array, signature: string) {
  try {
    return provider.readEvent(body, signature);
  } catch (error) {
    if (isServiceError(error, 'billing_signature_refused')) logger.warn('billing event refused: invalid signature');
    throw error;
  }
}

export function toProtoOrder(order: Order): account.Order {
  return {
    orderId: order.id,
    provider: order.provider,
    status: order.status,
    planId: order.planId,
    billingInterval: order.interval ?? '',
    amountCents: order.amountCents,
    checkoutUrl: order.checkoutUrl,
    createdTsMs: order.createdMs,
    expiresTsMs: order.expiresMs ?? 0,
  };
}

function toProtoInvoice(invoice: Invoice): account.Invoice {
  return {
    invoiceId: invoice.id,
    orderId: invoice.orderId,
    provider: invoice.provider,
    status: invoice.status,
    planId: invoice.planId,
    billingInterval: invoice.interval ?? '',
    amountCents: invoice.amountCents,
    createdTsMs: invoice.createdMs,
    documentUrl: invoice.documentUrl,
  };
}

export function bindBillingService(deps: BillingDeps): BoundService {
  const handlers = { createCheckout, openPortal, listInvoices, listTenantOrders, receiveEvent };
  return bindService(account.BillingServiceService, withDeps(deps, handlers), orUnavailable('account'));
}
