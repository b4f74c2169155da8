import { ruleOfSearch } from './rule-of-search';

test('a saved search becomes the rule that says most of it, and what that leaves out is named', () => {
  expect(ruleOfSearch({ symbol: 'BTCUSD-PERP', state: 'depth_watch', severity_class: 'high_context', q: 'bid', event_class: '' })).toEqual({
    rule: { kind: 'state_is', params: { states: ['depth_watch'] }, minConsecutive: 1, cooldownSeconds: 0 },
    symbol: 'BTCUSD-PERP',
    left: ['severity_class', 'q'],
  });
});

test('a search without a condition that a rule can have gives none', () => {
  expect(ruleOfSearch({ symbol: 'ALL', q: 'bid' })).toEqual({ rule: null, symbol: null, left: ['q'] });
});
