import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { BillingDeps } from './create-checkout';
import * as billing from '../../billing/receive-event';

export async function receiveEvent(
  deps: BillingDeps,
  { body, signature }: account.ReceiveEventRequest,
): Promise<account.ReceiveEventResponse> {
  await billing.receiveEvent(deps, read(deps, body, signature));
  return {};
}

function read({ provider, logger }: BillingDeps, body: Uint8Array, signature: string) {
  try {
    return provider.readEvent(body, signature);
  } catch (error) {
    if (isServiceError(error, 'billing_signature_refused')) logger.warn('event of the billing provider refused: its signature is not good');
    throw error;
  }
}
