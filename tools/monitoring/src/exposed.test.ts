import { faultsOf, readExposed, readQuery, withoutVariables } from './exposed';

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
])('%s requires its metrics with their labels', (expr, selectors) => {
  expect(readQuery(expr).selectors.map(({ metric, labels }) => [metric, labels])).toEqual(selectors);
});

test.each([
  ['max(a) > 3', 'max(a)'],
  ['a / b <= 0.1', 'a / b'],
  ['sum by (x) (a or b) > 64 * 1024', 'sum by (x) (a or b)'],
  ['a + b', 'a + b'],
])('%s compares %s', (expr, measured) => expect(readQuery(expr).measured).toBe(measured));

test.each(['sum(', 'max by symbol (a)', 'rate(a[5 minutes])', '{status="500"}'])('rejects %s', (expr) => {
  expect(() => readQuery(expr)).toThrow(expr.slice(0, 4));
});

test('a Grafana interval becomes one that Prometheus accepts', () => {
  expect(withoutVariables('rate(a[$__rate_interval]) + rate(b[$__rate_interval])')).toBe('rate(a[1m]) + rate(b[1m])');
  expect(() => readQuery('rate(a[$__rate_interval])')).toThrow('not PromQL');
});

const exposed = readExposed([
  [
    '# HELP seconds Time.',
    '# TYPE seconds histogram',
    'seconds_bucket{le="0.1",route="/a/{id}",service="gateway"} 3',
    'seconds_count{route="/a/{id}",service="gateway"} 4',
    '# TYPE calls_shed_total counter',
    '# TYPE other_total counter',
    '# TYPE ages gauge',
    'ages{symbol="A \\"b\\", c=\\"d",service="gateway"} +Inf',
  ].join('\n'),
  '# TYPE up_since gauge\nup_since 12\n',
]);

test('reads names and labels, whatever the values contain', () => {
  expect([...(exposed.labelsOf('ages') ?? [])].sort()).toEqual(['__name__', 'service', 'symbol']);
  expect([...(exposed.labelsOf('seconds_bucket') ?? [])]).toEqual(expect.arrayContaining(['le', 'route', 'service']));
  expect(exposed.labelsOf('seconds_sum')?.size).toBe(0);
  expect(exposed.labelsOf('nothing')).toBeUndefined();
});

test.each([
  ['max by (symbol) (ages{service="gateway"}) > 3', []],
  ['max by (process, instance) (up_since)', []],
  ['histogram_quantile(0.99, sum by (le, route) (rate(seconds_bucket[5m])))', []],
  ['sum(rate(calls_shed_total[5m]))', []],
  ['min(up)', []],
  ['max(age)', ['No process exposes age, used in "max(age)".']],
  ['max by (tenant) (ages)', ['ages has no label tenant, used in "max by (tenant) (ages)".']],
  ['ages{symbols="A"}', ['ages has no label symbols, used in "ages{symbols="A"}".']],
  ['sum by (reason) (other_total)', []],
  ['min by (service) (rpc_certificate_seconds_left)', []],
])('%s is compared with the exposed metrics', (expr, faults) => expect(faultsOf(expr, exposed)).toEqual(faults));
