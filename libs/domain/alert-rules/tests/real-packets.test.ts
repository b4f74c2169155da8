import { conditionOf, recentInputs } from '../src/condition';
import { RULE_KINDS, SCORE_NAMES } from '../src/kinds';
import { checkRule, hasSameCondition, type RuleSpec } from '../src/rule';
import { WINDOW_MS } from '../src/kinds';
import { readRuleInput } from '../src/rule-input';
import { exampleInput, exampleInputs } from './example-inputs';

const PARAMS: Record<string, unknown> = {
  state_changed: {},
  tag_added: { tag: 'pressure:*' },
  state_is: { states: ['pressure_building', 'flow_shift_watch'] },
  event_class_is: { event_classes: ['balanced_two_sided_context'] },
  severity_at_least: { score: 0.5 },
  score_change: { score: 'queue_fragility_score', by: 0.001, packets: 3 },
  feed_stale: { channel: 'trades', seconds: 15 },
};

function ruleOf(kind: string, params: unknown): RuleSpec {
  const checked = checkRule({ kind, params, cooldownSeconds: 0, minConsecutive: 1 });
  if (!('rule' in checked)) throw new Error(JSON.stringify(checked.faults));
  return checked.rule;
}

test('an input holds every score, survives storage, and is small', () => {
  for (const input of exampleInputs) {
    expect(Object.keys(input.scores)).toEqual(SCORE_NAMES);
    expect(readRuleInput(JSON.parse(JSON.stringify(input)))).toEqual(input);
    expect(JSON.stringify(input).length).toBeLessThan(2_500);
  }
  expect(exampleInput(0)).toMatchObject({
    symbol: 'BTCUSD-PERP',
    sequence: 1,
    state: 'market_state_watch',
    event_class: 'visible_depth_pressure_without_trade_confirmation',
    severity_class: 'routine_context',
    replay_cursor: 'rc1.BTCUSD-PERP.1723161560000',
    synthetic: false,
    scores: { severity_score: 0.388328, queue_fragility_score: 0.159085, flow_norm: 0.191054, crowding_norm: null },
    ages_ms: { book: 2, trades: 1612, asset_context: null },
  });
});

test.each(RULE_KINDS.map((kind) => [kind]))('%s finds what the packets say', (kind) => {
  const condition = conditionOf(ruleOf(kind, PARAMS[kind]));
  const recent = recentInputs();
  const found = exampleInputs.map((input) => {
    const finding = condition(input, recent.before(input));
    recent.add(input);
    return finding;
  });
  const at = (index: number) => exampleInput(index);
  const scoreAt = (index: number, name: string): number => at(index).scores[name] ?? NaN;
  const truth: Record<string, (index: number) => boolean> = {
    state_changed: (index) => index > 0 && at(index).state !== at(index - 1).state,
    tag_added: (index) => index > 0 && at(index).tags.some((tag) => tag.startsWith('pressure:') && !at(index - 1).tags.includes(tag)),
    state_is: (index) => ['pressure_building', 'flow_shift_watch'].includes(at(index).state),
    event_class_is: (index) => at(index).event_class === 'balanced_two_sided_context',
    severity_at_least: (index) => scoreAt(index, 'severity_score') >= 0.5,
    score_change: (index) =>
      index >= 3 && Math.abs(scoreAt(index, 'queue_fragility_score') - scoreAt(index - 3, 'queue_fragility_score')) >= 0.001 - 1e-9,
    feed_stale: (index) => (at(index).ages_ms['trades'] ?? 0) >= 15_000,
  };
  const isKnown = (index: number): boolean => kind !== 'score_change' || index >= 3;
  expect(found.map(({ holds }) => holds)).toEqual(exampleInputs.map((_, index) => (isKnown(index) ? truth[kind]?.(index) : null)));
  const words = Object.keys(Object.assign({}, ...found.map(({ condition: said }) => said)));
  expect(words.filter((word) => /^(side|size|target|return|entry|exit|stop|position|quantity)$/.test(word))).toEqual([]);
});

test('the examples are in a row, so that conditions over several packets are looked at', () => {
  exampleInputs.slice(1).forEach((input, index) => expect(input.window_end_ms - exampleInput(index).window_end_ms).toBe(WINDOW_MS));
});

test('every fault of a rule is named at once, with its path', () => {
  const pathsOf = (kind: string, params: unknown, cooldownSeconds = 0, minConsecutive = 1) => {
    const checked = checkRule({ kind, params, cooldownSeconds, minConsecutive });
    return 'faults' in checked ? checked.faults.map(({ path }) => path.join('.')).sort() : [];
  };
  expect(pathsOf('state_is', { states: ['depth_watch', 'nonsense'], more: 1 }, 86_401, 0)).toEqual([
    'cooldown_seconds',
    'min_consecutive',
    'params.more',
    'params.states.1',
  ]);
  expect(pathsOf('buy_now', {})).toEqual(['kind']);
  expect(pathsOf('tag_added', { tag: 'nonsense:*' })).toEqual(['params.tag']);
  for (const wrong of ['*', 'pressure', 'pressure:a:b:*', 'pressure:*:hot'])
    expect(new Set(pathsOf('tag_added', { tag: wrong }))).toEqual(new Set(['params.tag']));
  expect(pathsOf('tag_added', { tag: 'pressure:*' }, 0, 2)).toEqual(['min_consecutive']);
  expect(pathsOf('severity_at_least', {})).toEqual(['params']);
  expect(pathsOf('severity_at_least', { score: 0.5, severity_class: 'high_context' })).toEqual(['params']);
  expect(pathsOf('score_change', { score: 'profit', by: 0, packets: 361 })).toEqual(['params.by', 'params.packets', 'params.score']);
  expect(pathsOf('feed_stale', { channel: 'mail', seconds: 14 })).toEqual(['params.channel', 'params.seconds']);
});

test('defaults are filled in, and a rule with the same kind and params is the same in any order of members', () => {
  const rule = ruleOf('score_change', { packets: 3, by: 0.2, score: 'queue_fragility_score' });
  expect(rule.params).toEqual({ score: 'queue_fragility_score', by: 0.2, packets: 3, direction: 'either' });
  const other = ruleOf('score_change', { direction: 'either', score: 'queue_fragility_score', by: 0.2, packets: 3 });
  expect(hasSameCondition(rule, { ...other, cooldownSeconds: 60 })).toBe(true);
  expect(hasSameCondition(rule, ruleOf('score_change', { score: 'queue_fragility_score', by: 0.3, packets: 3 }))).toBe(false);
  const states = (...named: string[]): RuleSpec => ruleOf('state_is', { states: named });
  expect(hasSameCondition(states('depth_watch', 'flow_shift_watch'), states('flow_shift_watch', 'depth_watch'))).toBe(true);
  expect(hasSameCondition(states('depth_watch', 'flow_shift_watch'), states('depth_watch'))).toBe(false);
});
