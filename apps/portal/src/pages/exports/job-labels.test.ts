import { creditWords, spanWords, sizeWords } from './job-labels';
import type { Job } from './use-exports';

const job = { estimated_export_credit_cost: 5, observed_export_credit_cost: null, credit_state: 'reserved' } as Job;

test('credits of a job are shown as reserved, charged with a refund, or refunded in full', () => {
  expect(creditWords(job)).toBe('5 reserved');
  expect(creditWords({ ...job, credit_state: 'charged', observed_export_credit_cost: 2 })).toBe('2 charged, 3 refunded');
  expect(creditWords({ ...job, credit_state: 'charged', observed_export_credit_cost: 5 })).toBe('5 charged');
  expect(creditWords({ ...job, credit_state: 'released' })).toBe('nothing charged, 5 refunded');
});

test('a span shows its day once if it ends on the same day', () => {
  const span = { from_utc: '2026-11-25T17:07:40.000Z', to_utc: '2026-11-25T18:00:00.000Z' } as Job['request'];
  expect(spanWords(span)).toBe('2026-11-25 17:07 to 18:00');
  expect(spanWords({ ...span, to_utc: '2026-11-26T01:00:00.000Z' })).toBe('2026-11-25 17:07 to 2026-11-26 01:00');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [410_235, '410 kB'],
  [1_240_000_000, '1.24 GB'],
])('%i bytes are %s', (bytes, said) => expect(sizeWords(bytes)).toBe(said));
