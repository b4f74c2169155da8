import { checkRule } from '@market-state/alert-rules';
import { RULE_KINDS, SCORE_NAMES } from '@market-state/alert-rules/rehearsal';
import { InvalidError } from '@market-state/client';
import { type Rule, toWire, usualRule } from './rule';
import { faultsAt, isSaidAtRules, refusedFields, ruleFaults } from './rule-faults';

/** Fields that the service finds fault with. */
function foundByService(rule: Rule): readonly string[] {
  const { kind, params, min_consecutive: minConsecutive = 1, cooldown_seconds: cooldownSeconds = 0 } = toWire(rule);
  const checked = checkRule({ kind, params, minConsecutive, cooldownSeconds });
  const fields = 'rule' in checked ? [] : checked.faults.map(({ path }) => String(path.find((part) => part !== 'params')));
  return [...new Set(fields)].sort();
}

const withParams = (kind: Rule['kind'], params: Rule['params']): Rule => ({ ...usualRule(kind), params });
const change = { score: 'severity_score', by: 0.2, packets: 3, direction: 'either' };

const RULES: readonly Rule[] = [
  ...RULE_KINDS.map(usualRule),
  ...SCORE_NAMES.map((score) => withParams('score_change', { ...change, score })),
  ...[0, -1, NaN, 1e12, 1e13].map((by) => withParams('score_change', { ...change, by })),
  ...[0, 1, 2.5, 360, 361, NaN].map((packets) => withParams('score_change', { ...change, packets })),
  ...[14, 15, 3_600, 3_601, NaN].map((seconds) => withParams('feed_stale', { seconds, channel: 'book' })),
  ...[-0.1, 0, 1, 1.1, NaN].map((score) => withParams('severity_at_least', { score })),
  ...['pressure:bid_elevated:*', 'pressure:*', 'Pressure', 'pressure:a:b:c', `pressure:${'a'.repeat(120)}`].map((tag) =>
    withParams('tag_added', { tag }),
  ),
  ...[0, 1, 100, 101, 1.5, NaN].map((minConsecutive) => ({ ...usualRule('severity_at_least'), minConsecutive })),
  ...[-1, 0, 86_400, 86_401, NaN].map((cooldownSeconds) => ({ ...usualRule('state_changed'), cooldownSeconds })),
  { kind: 'score_change', params: { ...change, by: 0, packets: 0 }, minConsecutive: 0, cooldownSeconds: -1 },
];

test.each(RULES)('the form finds the same faults as the service, all together: %j', (rule) => {
  expect([...ruleFaults(rule).keys()].sort()).toEqual(foundByService(rule));
});

function refusal(...faults: readonly (readonly [loc: readonly (string | number)[], msg: string])[]): InvalidError {
  const detail = faults.map(([loc, msg]) => ({ loc: ['body', ...loc], msg, type: 'invalid_rule' }));
  const facts = { status: 422, code: '', title: 'Invalid', detail: '', requestId: 'req_1', docs: '', retryAfterMs: null, attempts: 1 };
  return new InvalidError({ ...facts, body: { detail } });
}

test("faults from the service are shown at the rule's field", () => {
  const error = refusal(
    [['name'], 'is taken'],
    [['symbols', 1], 'is no symbol'],
    [['rules', 0, 'params', 'states', 2], 'is none'],
    [['rules', 2, 'min_consecutive'], 'must be 1'],
    [['rules', 2, 'params'], 'must have severity_class or score'],
  );
  const faults = refusedFields(error);
  expect(Object.fromEntries(faults)).toEqual({
    name: 'is taken',
    symbols: 'is no symbol',
    'rules.0.states': 'is none',
    'rules.2.min_consecutive': 'must be 1',
    'rules.2.kind': 'must have severity_class or score',
  });
  expect([...faultsAt(faults, 'rules.2').keys()]).toEqual(['min_consecutive', 'kind']);
  expect(isSaidAtRules(error, ['name', 'symbols'])).toBe(true);
  expect(isSaidAtRules(error, ['name'])).toBe(false);
});

test('the one rule of an alert is named alike', () => {
  expect(
    Object.fromEntries(refusedFields(refusal([['rule', 'params', 'by'], 'is small'], [['rule', 'cooldown_seconds'], 'is long']))),
  ).toEqual({
    'rule.by': 'is small',
    'rule.cooldown_seconds': 'is long',
  });
  expect(refusedFields(new Error('x')).size).toBe(0);
});
