import { readOperations, unreadyStep } from './document';
import { steps } from './steps/all-steps';
import { billingEventSteps } from './steps/account-steps';

describe('the recorder of examples', () => {
  it('asks every operation of the document and none that there is not', () => {
    const asked = new Set([unreadyStep, ...steps, ...billingEventSteps].map(({ operation }) => operation));
    expect([...asked].sort()).toEqual([...readOperations().keys()].sort());
  });
});
