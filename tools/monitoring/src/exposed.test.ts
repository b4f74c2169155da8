import { faultsOf, readExposed } from './exposed';

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

test('names and labels are read, whatever stands in values', () => {
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
  ['max(age)', ['No process says age, of "max(age)".']],
  ['max by (tenant) (ages)', ['ages has no label tenant, of "max by (tenant) (ages)".']],
  ['ages{symbols="A"}', ['ages has no label symbols, of "ages{symbols="A"}".']],
  ['sum by (reason) (other_total)', []],
  ['min by (service) (rpc_certificate_seconds_left)', []],
])('%s is held to what processes say', (expr, faults) => expect(faultsOf(expr, exposed)).toEqual(faults));
