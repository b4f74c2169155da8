import { readQuery, withoutVariables } from './promql';

test.each([
  ['up', [['up', []]]],
  ['max by (symbol) (packet_age_seconds{service="gateway"}) > 30', [['packet_age_seconds', ['service', 'symbol']]]],
  [
    'sum(rate(calls{status=~"5.."}[2m])) / sum by (route) (rate(calls[2m]))',
    [
      ['calls', ['status']],
      ['calls', ['route']],
    ],
  ],
  [
    'topk(8, histogram_quantile(0.99, sum by (le, route) (rate(seconds_bucket{service="gateway"}[5m]))))',
    [['seconds_bucket', ['service', 'le', 'route']]],
  ],
  ['time() - (max(audit_seconds) or vector(0))', [['audit_seconds', []]]],
  ['sum without (instance) (held)', [['held', ['instance']]]],
])('%s asks for its metrics by their labels', (expr, selectors) => {
  expect(readQuery(expr).selectors.map(({ metric, labels }) => [metric, labels])).toEqual(selectors);
});

test.each([
  ['max(a) > 3', 'max(a)'],
  ['a / b <= 0.1', 'a / b'],
  ['sum by (x) (a or b) > 64 * 1024', 'sum by (x) (a or b)'],
  ['a + b', 'a + b'],
])('%s compares %s', (expr, measured) => expect(readQuery(expr).measured).toBe(measured));

test.each(['sum(', 'max by symbol (a)', 'rate(a[5 minutes])', '{status="500"}'])('%s is refused', (expr) => {
  expect(() => readQuery(expr)).toThrow(expr.slice(0, 4));
});

test('a span of Grafana becomes one that Prometheus takes', () => {
  expect(withoutVariables('rate(a[$__rate_interval]) + rate(b[$__rate_interval])')).toBe('rate(a[1m]) + rate(b[1m])');
  expect(() => readQuery('rate(a[$__rate_interval])')).toThrow('not PromQL');
});
