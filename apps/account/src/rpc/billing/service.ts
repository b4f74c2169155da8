import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { type BillingDeps, createCheckout } from './create-checkout';
import { listInvoices } from './list-invoices';
import { openPortal } from './open-portal';
import { receiveEvent } from './receive-event';

export function bindBillingService(deps: BillingDeps): BoundService {
  const handlers = { createCheckout, openPortal, listInvoices, receiveEvent };
  return bindService(account.BillingServiceService, withDeps(deps, handlers), orUnavailable);
}
