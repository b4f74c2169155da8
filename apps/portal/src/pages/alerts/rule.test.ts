import { RULE_KINDS } from '@market-state/alert-rules/rehearsal';
import {
  canRunHere,
  conditionText,
  ruleWords,
  settingWords,
  urlRule,
  usualRule,
  withKind,
  ruleOfSearch,
  changesOf,
  type Draft,
} from './rule';

const severe = usualRule('severity_at_least');
const changed = usualRule('state_changed');
const saved: Draft = { name: 'Day', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], rules: [severe, changed], muted: false };

test('an equivalent draft has no changes, regardless of order', () => {
  expect(changesOf(saved, { ...saved, symbols: ['ETHUSD-PERP', 'BTCUSD-PERP'], rules: [changed, { ...severe }] })).toEqual([]);
});

test('changes of name, symbols and muting are each listed', () => {
  expect(changesOf(saved, { ...saved, name: 'Night', symbols: ['ETHUSD-PERP', 'SIMUSD-PERP'], muted: true })).toEqual([
    'Renamed from Day to Night.',
    'No longer watched: BTCUSD-PERP.',
    'Watched from the next packet on: SIMUSD-PERP.',
    'Messages stop until it is unmuted.',
  ]);
});

test('a rule with the same condition continues, and one with another starts from scratch', () => {
  expect(
    changesOf(saved, {
      ...saved,
      rules: [
        { ...severe, minConsecutive: 3 },
        { ...changed, params: { to: 'depth_watch' } },
      ],
    }),
  ).toEqual([
    'Removed: state changes, notifying immediately.',
    'Added: state changes to Depth watch, notifying immediately. Conditions already true on the first packet do not trigger it.',
    'Changed: severity is at least high. It notified immediately, and will notify after 3 packets in a row.',
  ]);
});

test('removing one of two identical rules removes only that one', () => {
  expect(changesOf({ ...saved, rules: [severe, severe] }, { ...saved, rules: [severe] })).toEqual([
    'Removed: severity is at least high, notifying immediately.',
  ]);
});

test('a saved search becomes its most specific rule, and lists the conditions that are left out', () => {
  expect(ruleOfSearch({ symbol: 'BTCUSD-PERP', state: 'depth_watch', severity_class: 'high_context', q: 'bid', event_class: '' })).toEqual({
    rule: { kind: 'state_is', params: { states: ['depth_watch'] }, minConsecutive: 1, cooldownSeconds: 0 },
    symbol: 'BTCUSD-PERP',
    left: ['severity_class', 'q'],
  });
});

test('a search without a usable condition yields no rule', () => {
  expect(ruleOfSearch({ symbol: 'ALL', q: 'bid' })).toEqual({ rule: null, symbol: null, left: ['q'] });
});

test.each(RULE_KINDS)('a rule %s survives a round trip and has a sentence', (kind) => {
  const rule = { ...usualRule(kind), minConsecutive: 3, cooldownSeconds: 60 };
  expect(urlRule.read(urlRule.write(rule))).toEqual(rule);
  expect(ruleWords(rule).length).toBeGreaterThan(5);
});

test.each(['', '{', '{"kind":"profit","params":{}}', '{"kind":"state_is"}', 'null'])('an address with %j has no rule', (text) => {
  expect(urlRule.read(text)).toBeNull();
});

test('a momentary kind always needs one packet', () => {
  expect(withKind({ ...usualRule('state_is'), minConsecutive: 6, cooldownSeconds: 30 }, 'state_changed')).toMatchObject({
    minConsecutive: 1,
    cooldownSeconds: 30,
  });
});

test('an unfinished number survives a round trip as NaN', () => {
  const rule = { ...usualRule('score_change'), params: { score: 'severity_score', by: NaN }, cooldownSeconds: NaN };
  expect(urlRule.read(urlRule.write(rule))).toEqual(rule);
});

test('conditions are equal regardless of order', () => {
  const states = (...list: readonly string[]) => ({ ...usualRule('state_is'), params: { states: list } });
  expect(conditionText(states('depth_watch', 'crowding_shift'))).toBe(conditionText(states('crowding_shift', 'depth_watch')));
  expect(conditionText(states('depth_watch'))).not.toBe(conditionText(states('crowding_shift')));
});

test('rules that need more than history rows do not run in the browser', () => {
  expect(canRunHere(usualRule('score_change'))).toBe(true);
  expect(canRunHere({ ...usualRule('score_change'), params: { score: 'spread_bps', by: 1, packets: 1 } })).toBe(false);
  expect(canRunHere(usualRule('feed_stale'))).toBe(false);
});

test('settings are described in words', () => {
  expect(settingWords({ minConsecutive: 1, cooldownSeconds: 0 })).toBe('immediately');
  expect(settingWords({ minConsecutive: 3, cooldownSeconds: 300 })).toBe('after 3 packets in a row, at most once every 5 min');
});
