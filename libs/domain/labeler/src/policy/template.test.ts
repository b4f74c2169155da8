import { numberWords, spanUnitMs, type NumberFormat } from './template';

test.each<[NumberFormat, number, string]>([
  ['score', 0.5, '0.50'],
  ['score', 0, '0.00'],
  ['score', 1, '1.00'],
  ['score', -0.434909, '-0.43'],
  // ties on the exact decimal value go to the even digit; 0.145 as a double lies under the tie, 0.235 over it
  ['score', 0.125, '0.12'],
  ['score', 0.375, '0.38'],
  ['score', 0.145, '0.14'],
  ['score', 0.235, '0.23'],
  ['score', 0.004, 'under 0.01'],
  ['score', -0.004, 'under 0.01'],
  ['bps', -26.767797, '-26.8 bps'],
  ['bps', 132.6, '133 bps'],
  ['bps', 2, '2.0 bps'],
  ['bps', 0, '0 bps'],
  ['bps', 0.893651, '0.89 bps'],
  ['bps', 0.016224, '0.016 bps'],
  ['bps', 0.0000004, 'under 0.000001 bps'],
  ['share', 0.521739, '52 %'],
  ['share', 0, '0 %'],
  ['share', 1, '100 %'],
  ['share', 0.004, 'under 1 %'],
  ['share', 0.996, 'over 99 %'],
  ['share', 0.125, '12 %'],
  ['percent', 0.0000125, '0.0013 %'],
  ['percent', 0.000348456588, '0.035 %'],
  ['percent', 0.05, '5.0 %'],
  ['usd', 2_415_040.1965, '2.4 million USD'],
  ['usd', 18_400, '18.4 thousand USD'],
  ['usd', 950.4, '950 USD'],
  ['usd', 0.2, 'under 1 USD'],
  ['usd', 3_000_000_000, '3.0 billion USD'],
])('as a %s, %d reads "%s"', (format, value, words) => {
  expect(numberWords(value, format, null)).toBe(words);
});

test.each<[string, number, string]>([
  ['freshness_ms', 0, 'under 1 s'],
  ['freshness_ms', 999, 'under 1 s'],
  ['freshness_ms', 1_500, '2 s'],
  ['freshness_ms', 2_500, '2 s'],
  ['freshness_ms', 59_600, '1 min'],
  ['gap_seconds', 220, '3 min 40 s'],
  ['session_minutes', 1.5, '1 min 30 s'],
  ['session_minutes', 59.996, '1 h'],
  ['session_minutes', 125, '2 h 5 min'],
  ['history_hours', 1.111111, '1 h 7 min'],
  ['history_hours', 48, '2 d'],
  ['history_hours', 76.6, '3 d 5 h'],
])('%s of %d reads "%s"', (name, value, words) => {
  expect(numberWords(value, 'span', null, spanUnitMs(name))).toBe(words);
});

test.each<[NumberFormat, number, number, string, string]>([
  ['score', 0.2496, 0.25, '0.2496', '0.2500'],
  ['score', 0.2391, 0.238012, '0.239', '0.238'],
  ['score', 0.25, 0.25, '0.25', '0.25'],
  ['score', 0.249999, 0.25, '0.249999', '0.250000'],
  ['score', 0.08, 0.25, '0.08', '0.25'],
  ['bps', 2.04, 2, '2.04 bps', '2.00 bps'],
  ['bps', 0.291639, 2, '0.29 bps', '2.00 bps'],
])('as a %s, %d next to %d differs from it: %s, %s', (format, value, other, words, otherWords) => {
  expect([numberWords(value, format, other), numberWords(other, format, value)]).toEqual([words, otherWords]);
});

test('a name that ends in no unit of time has none', () => {
  expect(['margin', 'state_age_packets', 'freshness_ms'].map(spanUnitMs)).toEqual([undefined, undefined, 1]);
});
