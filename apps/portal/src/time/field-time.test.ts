import { fieldTime, instantOf, spanFaults, timeFault } from './field-time';
import { inZone } from '../../tests/in-zone';

const AT = Date.parse('2026-11-25T18:30:00Z');

test.each(['2026-11-25 18:30', '2026-11-25T18:30', ' 2026-11-25 18:30:00 ', '2026-11-25 18:30 UTC', '2026-11-25T18:30:00Z'])(
  'a time is read as UTC: %j',
  (text) => {
    expect(instantOf(text)).toBe(AT);
    expect(timeFault(text)).toBe('');
  },
);

test('a field shows seconds only if there are any', () => {
  expect(fieldTime(AT)).toBe('2026-11-25 18:30');
  expect(fieldTime(AT + 7_000)).toBe('2026-11-25 18:30:07');
  for (const ms of [AT, AT + 7_000]) expect(instantOf(fieldTime(ms))).toBe(ms);
});

test.each([
  ['', /^Enter a time/],
  ['11/25/2026 6:30 PM', /^Use the form YYYY-MM-DD HH:MM/],
  ['2026-11-25', /^Use the form/],
  ['2026-13-25 18:30', /no month 13/],
  ['2026-02-29 18:30', /no day 29 in that month: its days are 01 to 28/],
  ['2026-11-25 24:00', /no hour 24/],
  ['2026-11-25 18:60', /Minutes/],
])('an invalid time shows the reason: %j', (text, fault) => {
  expect(timeFault(text)).toMatch(fault);
  expect(instantOf(text)).toBeNaN();
});

test('fields use the chosen zone, with the offset if the time is ambiguous', () => {
  jest.useFakeTimers({ now: AT });
  inZone('America/New_York', () => {
    expect(instantOf('2026-11-25 13:30')).toBe(AT);
    for (const same of ['2026-11-25 18:30 UTC', '2026-11-25 18:30Z', '2026-11-26 00:00 UTC+05:30', '2026-11-25 13:30-05:00'])
      expect(instantOf(same)).toBe(AT);
    expect(instantOf('2026-07-01 09:00')).toBe(Date.parse('2026-07-01T13:00:00Z'));
    expect(fieldTime(Date.parse('2026-07-01T13:00:00Z'))).toBe('2026-07-01 09:00 UTC-04:00');
    expect(fieldTime(Date.parse('2026-11-01T06:30:00Z'))).toBe('2026-11-01 01:30 UTC-05:00');
    for (let ms = Date.parse('2026-10-31T00:00:00Z'); ms < Date.parse('2026-11-03T00:00:00Z'); ms += 1_799_000)
      expect(instantOf(fieldTime(ms))).toBe(ms);
  });
  jest.useRealTimers();
});

test('skipped and repeated local times are refused with a hint', () => {
  inZone('America/New_York', () => {
    expect(timeFault('2026-03-08 02:30')).toMatch(/^This time does not exist/);
    expect(timeFault('2026-11-01 01:30')).toBe('This time occurs twice in your zone. Add UTC-04:00 or UTC-05:00 after it.');
    expect(instantOf('2026-11-01 01:30 UTC-04:00')).toBe(Date.parse('2026-11-01T05:30:00Z'));
    expect(timeFault('2026-11-25 18:30 -')).toMatch(/^Use the form YYYY-MM-DD HH:MM, .* in local time/);
  });
});

function faultsOf(from: string, to: string, bounds?: Parameters<typeof spanFaults>[1]) {
  const form = new FormData();
  form.set('from', from);
  form.set('to', to);
  return Object.keys(Object.fromEntries(spanFaults(form, bounds)));
}

test('both ends of a span show their faults', () => {
  expect(faultsOf('', 'soon')).toEqual(['from', 'to']);
  expect(faultsOf('', '', { isOpen: true })).toEqual([]);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:30')).toEqual(['to']);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:31')).toEqual([]);
  expect(faultsOf('2026-11-25 18:30', '2026-11-25 18:31', { longestMs: 59_000, tooLong: 'At most 59 s.' })).toEqual(['to']);
});
