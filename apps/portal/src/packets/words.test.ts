import { boundsWords, severityText } from './words';

const bounds = { elevated: 0.541955, high: 0.591955, critical: 0.641955, source: 'symbol_rolling_quantile' };

test.each([
  [0.6, 'high_context', '0.60 high, from 0.59'],
  [0.62, 'elevated_context', '0.62 elevated, from 0.54'],
  [0.7, 'critical_context', '0.70 critical, from 0.64'],
  [0.2, 'routine_context', '0.20 routine, under 0.54'],
])('%d of %s shows the bound of its class', (score, name, text) => {
  expect(severityText({ score, severity_class: name, bounds })).toBe(text);
});

test('first-edition packets have no bounds, and all bounds name their origin', () => {
  expect(severityText({ score: 0.6, severity_class: 'high_context' })).toBe('0.60 high');
  expect(boundsWords({ score: 0.6, severity_class: 'high_context', bounds })).toBe(
    "Elevated from 0.54, high from 0.59, critical from 0.64: from this symbol's session.",
  );
});
