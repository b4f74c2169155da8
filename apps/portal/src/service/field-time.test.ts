import { fieldTime, spanFaults, timeFault, utcOf } from './field-time';

const AT = Date.parse('2026-11-25T18:30:00Z');

test.each(['2026-11-25 18:30', '2026-11-25T18:30', ' 2026-11-25 18:30:00 ', '2026-11-25 18:30 UTC', '2026-11-25T18:30:00Z'])(
  'a time is read as UTC: %j',
  (text) => {
    expect(utcOf(text)).toBe(AT);
    expect(timeFault(text)).toBe('');
  },
);

test('a field shows a time as it reads it, seconds only where there are some', () => {
  expect(fieldTime(AT)).toBe('2026-11-25 18:30');
  expect(fieldTime(AT + 7_000)).toBe('2026-11-25 18:30:07');
  for (const ms of [AT, AT + 7_000]) expect(utcOf(fieldTime(ms))).toBe(ms);
});

test.each([
  ['', /^Give a time/],
  ['11/25/2026 6:30 PM', /^Write it as YYYY-MM-DD HH:MM/],
  ['2026-11-25', /^Write it as/],
  ['2026-13-25 18:30', /no month 13/],
  ['2026-02-29 18:30', /no day 29 in that month: its days are 01 to 28/],
  ['2026-11-25 24:00', /no hour 24/],
  ['2026-11-25 18:60', /Minutes/],
])('what is no time says why: %j', (text, fault) => {
  expect(timeFault(text)).toMatch(fault);
  expect(utcOf(text)).toBeNaN();
});

function faultsOf(from: string, to: string, bounds?: Parameters<typeof spanFaults>[1]) {
  const form = new FormData();
  form.set('from', from);
  form.set('to', to);
  return Object.keys(Object.fromEntries(spanFaults(form, bounds)));
}

test('each end of a span says what is wrong with it, both at once', () => {
  expect(faultsOf('', 'soon')).toEqual(['from', 'to']);
  expect(faultsOf('', '', { isOpen: true })).toEqual([]);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:30')).toEqual(['to']);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:31')).toEqual([]);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:31', { longestMs: 59_000, tooLong: 'At most 59 s.' })).toEqual(['to']);
});
