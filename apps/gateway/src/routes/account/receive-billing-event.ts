import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';

/** Signature of the billing provider over the bytes of the body. */
const SIGNATURE_HEADER = 'stripe-signature';

/** Hands an event of the billing provider on, in the very bytes that were signed. */
export function receiveBillingEvent({ billing }: AccountDeps): Handler<'receiveBillingEvent'> {
  return async (call) => {
    const signature = call.input.headers[SIGNATURE_HEADER];
    await fromAccount(
      billing.call.receiveEvent({ body: call.bodyBytes ?? Buffer.alloc(0), signature: typeof signature === 'string' ? signature : '' }),
    );
    return accountAnswer(call, { received: true }, 'The event was received.');
  };
}
