import { readOperations, unreadyStep } from './document';
import { steps } from './steps/all-steps';
import { billingEventSteps } from './steps/account-steps';

describe('the example recorder', () => {
  it('calls exactly the operations of the document', () => {
    const requested = new Set([unreadyStep, ...steps, ...billingEventSteps].map(({ operation }) => operation));
    expect([...requested].sort()).toEqual([...readOperations().keys()].sort());
  });
});
