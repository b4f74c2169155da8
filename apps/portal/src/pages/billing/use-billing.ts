import type { Params } from '@market-state/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read, service } from '../../service/client';
import { SESSION_KEY } from '../../service/session';

const INVOICES = ['account', 'invoices'] as const;
const INVOICES_SHOWN = 100;

/** Orders that were paid or approved, newest first. */
export function useInvoices() {
  return useQuery({
    queryKey: INVOICES,
    queryFn: ({ signal }) => read(service.billing.invoices({ limit: INVOICES_SHOWN }, { signal })),
  });
}

/** How often is asked whether a payment is booked, and for how long, milliseconds. Asking costs nothing. */
const BOOKED_POLL_MS = 2_000;
const BOOKED_WAIT_MS = 180_000;

/** How far the booking of a payment is. */
export type Booking = 'waiting' | 'booked' | 'late';

/**
 * Waits until an order that was paid is among the invoices, then asks for plan and balances again. `late` where that takes too long; null
 * where nothing was paid.
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

/** Records an order, which costs nothing by itself: where it is paid for is in the answer. */
export function useCheckout() {
  return useMutation({
    mutationFn: (order: Pick<Params<'createCheckoutSession'>, 'plan_id' | 'billing_interval'>) => read(service.billing.checkout(order)),
    onSuccess({ provider, checkout_url: url }) {
      if (provider !== 'offline') location.assign(url);
    },
  });
}

/** Opens the pages of the payment provider. */
export function useBillingPortal() {
  return useMutation({
    mutationFn: () => read(service.billing.openPortal({ return_url: '/billing' })),
    onSuccess({ provider, portal_url: url }) {
      if (provider !== 'offline') location.assign(url);
    },
  });
}
