import type { Params } from '@market-state/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

/** Orders that were paid or approved, newest first. */
export function useInvoices() {
  return useQuery({
    queryKey: ['account', 'invoices'],
    queryFn: ({ signal }) => read(service.billing.invoices({ limit: 100 }, { signal })),
  });
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
