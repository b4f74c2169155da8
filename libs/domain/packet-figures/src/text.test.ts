import { duration, percent, price, quantity, utc } from './text';

test.each([
  [10_000, '10 s'],
  [60_000, '1 min'],
  [130_000, '2 min 10 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
])('%i ms reads %s', (ms, text) => expect(duration(ms)).toBe(text));

test.each([
  [61_700.15, '61700.15'],
  [1, '1.00'],
  [0.23456, '0.23456'],
  [0.00001234, '0.000012340'],
])('price %d reads %s', (value, text) => expect(price(value)).toBe(text));

test('shares and instants', () => {
  expect(percent(2 / 3)).toBe('66.7 %');
  expect(utc(Date.UTC(2024, 7, 8, 23, 54, 20))).toBe('2024-08-08 23:54:20');
});

test.each([
  [0, '0'],
  [0.125, '0.125'],
  [12.5, '12.5'],
  [1_250, '1.25k'],
  [3_000_000, '3M'],
])('amount %d reads %s', (value, text) => expect(quantity(value)).toBe(text));
