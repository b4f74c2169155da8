import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { BillingInterval } from '@market-state/pricing';
import { controlFaults, idFaults, lengthFaults, optionalIdFaults } from '@market-state/request-checks';
import { itemOf, SOLD } from '../../billing/catalogue';
import type { ReceiveDeps } from '../../billing/receive-event';
import { operationFaults, readOperation } from '../operation';
import { toProtoOrder } from './wire';
import * as billing from '../../billing/create-checkout';

const REFERENCE_LENGTH_MAX = 255;
const REFERENCES_MAX = 20;

export interface BillingDeps extends ReceiveDeps {
  /** The product's own address. */
  readonly publicBaseUrl: string;
  /** Other origins that people may be sent back to. */
  readonly allowedOrigins: readonly string[];
}

export async function createCheckout(deps: BillingDeps, request: account.CreateCheckoutRequest): Promise<account.CreateCheckoutResponse> {
  const interval = intervalOf(request.billingInterval);
  const item = itemOf(request.planId, interval ?? 'month');
  const faults = faultsOf(request, item !== undefined, interval !== undefined);
  if (faults.length > 0 || item === undefined) throw invalidArgument(faults);
  const { tenantId, accountId, references } = request;
  const order = await billing.createCheckout(deps, {
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
