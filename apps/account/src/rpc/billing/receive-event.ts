import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { receiveEvent } from '../../billing/receive-event';
import type { BillingDeps } from './create-checkout';

export function createReceiveEvent(deps: BillingDeps) {
  return async function receiveEventRpc({ body, signature }: account.ReceiveEventRequest): Promise<account.ReceiveEventResponse> {
    await receiveEvent(deps, read(deps, body, signature));
    return {};
  };
}

function read({ provider, logger }: BillingDeps, body: Uint8Array, signature: string) {
  try {
    return provider.readEvent(body, signature);
  } catch (error) {
    if (isServiceError(error, 'billing_signature_refused')) logger.warn('event of the billing provider refused: its signature is not good');
    throw error;
  }
}
