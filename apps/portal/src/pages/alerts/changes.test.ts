import { changesOf, type Draft } from './changes';
import { usualRule } from './rule';

const severe = usualRule('severity_at_least');
const changed = usualRule('state_changed');
const saved: Draft = { name: 'Desk', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], rules: [severe, changed], muted: false };

test('a draft that says the same changes nothing, in whatever order it says it', () => {
  expect(changesOf(saved, { ...saved, symbols: ['ETHUSD-PERP', 'BTCUSD-PERP'], rules: [changed, { ...severe }] })).toEqual([]);
});

test('name, symbols and muting are each said', () => {
  expect(changesOf(saved, { ...saved, name: 'Night', symbols: ['ETHUSD-PERP', 'SIMUSD-PERP'], muted: true })).toEqual([
    'Its name was Desk, and becomes Night.',
    'No longer watched: BTCUSD-PERP.',
    'Watched from the next packet on: SIMUSD-PERP.',
    'It sends no more messages until it is unmuted.',
  ]);
});

test('a rule with the same condition goes on, and one with another begins afresh', () => {
  expect(
    changesOf(saved, {
      ...saved,
      rules: [
        { ...severe, minConsecutive: 3 },
        { ...changed, params: { to: 'depth_watch' } },
      ],
    }),
  ).toEqual([
    'Ends: state changes, told at once.',
    'Begins: state changes to Depth watch, told at once. What holds on its first packet is not told.',
    'Goes on: severity is at least high. It was told at once, and will be told after 3 packets in a row.',
  ]);
});

test('of two rules that look at the same thing only the one that is taken out ends', () => {
  expect(changesOf({ ...saved, rules: [severe, severe] }, { ...saved, rules: [severe] })).toEqual([
    'Ends: severity is at least high, told at once.',
  ]);
});
