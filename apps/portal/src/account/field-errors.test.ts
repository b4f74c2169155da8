import { InvalidError } from '@market-state/client';
import { fieldFaults, isSaidAtFields } from './field-errors';

const refusal = new InvalidError({
  status: 422,
  code: '',
  title: 'Invalid',
  detail: '',
  requestId: 'req_1',
  docs: '',
  retryAfterMs: null,
  attempts: 1,
  body: {
    detail: [
      { loc: ['body', 'email'], msg: 'must be an email address', type: 'format' },
      { loc: ['body', 'password'], msg: 'must have 12 characters or more', type: 'too_short' },
      { loc: ['body', 'password'], msg: 'is too common', type: 'common' },
    ],
  },
});

test('faults are grouped by field', () => {
  expect([...fieldFaults(refusal)]).toEqual([
    ['email', 'must be an email address'],
    ['password', 'must have 12 characters or more; is too common'],
  ]);
  expect(isSaidAtFields(refusal, ['email', 'password'])).toBe(true);
  expect(isSaidAtFields(refusal, ['email'])).toBe(false);
  expect(isSaidAtFields(new Error('x'), ['email'])).toBe(false);
});
