import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import { whileAvailable } from '../while-available';
import { type BillingDeps, createCreateCheckout } from './create-checkout';
import { createListInvoices } from './list-invoices';
import { createOpenPortal } from './open-portal';
import { createReceiveEvent } from './receive-event';

export function bindBillingService(deps: BillingDeps): BoundService {
  return bindService(account.BillingServiceService, {
    createCheckout: whileAvailable(createCreateCheckout(deps)),
    openPortal: whileAvailable(createOpenPortal(deps)),
    listInvoices: whileAvailable(createListInvoices(deps)),
    receiveEvent: whileAvailable(createReceiveEvent(deps)),
  });
}
