import type { Params } from '@market-state/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { SESSION_KEY } from '../../service/session';

const INVOICES = ['account', 'invoices'] as const;
const ORDERS = ['account', 'orders'] as const;
const ROWS_SHOWN = 100;
const LIST_MAX = 1_000;

export function useInvoices() {
  return useQuery({
    queryKey: INVOICES,
    queryFn: ({ signal }) => read(service.billing.invoices({ limit: ROWS_SHOWN }, { signal })),
  });
}

export function useOrders() {
  return useQuery({
    queryKey: ORDERS,
    queryFn: ({ signal }) => read(service.billing.orders({ limit: ROWS_SHOWN }, { signal })),
  });
}

export function readInvoices() {
  return readPages(service.billing.invoicesRows({ limit: LIST_MAX }), ({ rows }) => rows);
}

/** Polling is free. */
const BOOKED_POLL_MS = 2_000;
const BOOKED_WAIT_MS = 180_000;

export type Booking = 'waiting' | 'booked' | 'late';

/**
 * Polls until a paid order appears among the invoices, then refetches plan and balances. `late` after the time limit;
 * null if nothing was paid.
 */
export function useBooking(paidOrder: string | null): Booking | null {
  const queries = useQueryClient();
  const [isLate, setIsLate] = useState(false);
  const { data } = useInvoices();
  const isBooked = data?.rows.some(({ order_id: id }) => id === paidOrder) === true;
  useEffect(() => {
    if (paidOrder === null || isBooked || isLate) return undefined;
    const poll = setInterval(() => void queries.invalidateQueries({ queryKey: INVOICES }, { cancelRefetch: false }), BOOKED_POLL_MS);
    const end = setTimeout(() => setIsLate(true), BOOKED_WAIT_MS);
    return () => {
      clearInterval(poll);
      clearTimeout(end);
    };
  }, [paidOrder, isBooked, isLate, queries]);
  useEffect(() => {
    if (paidOrder !== null && isBooked) void queries.invalidateQueries({ queryKey: SESSION_KEY });
  }, [paidOrder, isBooked, queries]);
  if (paidOrder === null) return null;
  return isBooked ? 'booked' : isLate ? 'late' : 'waiting';
}

/** Free: the response holds the address for payment. */
export function useCheckout() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (order: Pick<Params<'createCheckoutSession'>, 'plan_id' | 'billing_interval'>) => read(service.billing.checkout(order)),
    onSuccess({ provider, checkout_url: url }) {
      void queries.invalidateQueries({ queryKey: ORDERS });
      if (provider !== 'offline') location.assign(url);
    },
  });
}

export function useBillingPortal() {
  return useMutation({
    mutationFn: () => read(service.billing.openPortal({ return_url: '/billing' })),
    onSuccess({ provider, portal_url: url }) {
      if (provider !== 'offline') location.assign(url);
    },
  });
}
