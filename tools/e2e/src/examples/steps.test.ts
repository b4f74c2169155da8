import { plainSteps, readOperations, unreadyStep } from './document';
import { steps } from './steps/all-steps';
import { billingEventSteps, oidcSteps } from './steps/account-steps';

const own = [unreadyStep, ...steps, ...billingEventSteps, ...oidcSteps({ logIn: () => Promise.reject(new Error('not called')) })];

describe('the example recorder', () => {
  it('calls exactly the operations of the document', () => {
    const operations = readOperations();
    const requested = new Set([...own, ...plainSteps(operations, own)].map(({ operation }) => operation));
    expect([...requested].sort()).toEqual([...operations.keys()].sort());
  });

  it('calls a new read without parameters, and requires a step for any other operation', () => {
    const operation = { method: 'GET', path: '/new', summary: 'New read', needsKey: true };
    expect(plainSteps(new Map([['getNew', operation]]), own)).toEqual([{ operation: 'getNew', summary: 'New read.', as: 'key' }]);
    expect(plainSteps(new Map([['getNew', operation]]), [{ operation: 'getNew', summary: 'Its own.' }])).toEqual([]);
    expect(() => plainSteps(new Map([['createNew', { ...operation, method: 'POST' }]]), own)).toThrow('createNew needs a step');
    expect(() => plainSteps(new Map([['getOne', { ...operation, path: '/new/{id}' }]]), own)).toThrow('getOne needs a step');
  });
});
