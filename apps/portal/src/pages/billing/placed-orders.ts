import type { Data } from '@market-state/client';

/** An order placed on this page. The service lists it among the invoices once it is paid or approved. */
export type PlacedOrder = Pick<Data<'createCheckoutSession'>, 'order_id' | 'plan_id' | 'billing_interval' | 'amount_cents' | 'created_utc'>;

const ORDERS_MAX = 20;
const keyOf = (tenantId: string): string => `orders-${tenantId}`;

/** Orders placed in this browser that have no invoice yet, newest first. */
export function waitingOrders(placed: readonly PlacedOrder[], invoiced: readonly { readonly order_id: string }[]): readonly PlacedOrder[] {
  const ids = new Set(invoiced.map(({ order_id: id }) => id));
  return placed.filter(({ order_id: id }) => !ids.has(id));
}

export function readOrders(tenantId: string): readonly PlacedOrder[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(tenantId)) ?? '[]') as readonly PlacedOrder[];
  } catch {
    return [];
  }
}

/** Keeps an order for the next visit if the browser allows it. */
export function addOrder(tenantId: string, order: PlacedOrder): void {
  const others = readOrders(tenantId).filter(({ order_id: id }) => id !== order.order_id);
  try {
    localStorage.setItem(keyOf(tenantId), JSON.stringify([order, ...others].slice(0, ORDERS_MAX)));
  } catch {
    // Storage is blocked: the order is listed until the page is left.
  }
}
