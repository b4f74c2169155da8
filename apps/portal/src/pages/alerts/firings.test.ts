import { firingsOf } from './firings';
import { usualRule } from './rule';

const rule = usualRule('severity_at_least');
const notices = (...told: readonly (readonly [string, number])[]) => told.map(([phase, atMs]) => ({ phase, atMs, eventId: `evt_${atMs}` }));
const END_MS = 2_000_000;

test('a firing lasts from its trigger to its recovery, the last one to the end; one soon after another is a flap', () => {
  const told = notices(['triggered', 0], ['recovered', 10_000], ['triggered', 610_000], ['recovered', 620_000], ['triggered', 1_220_001]);
  expect(firingsOf(told, rule, END_MS)).toEqual([
    { fromMs: 0, toMs: 10_000, isFlap: false },
    { fromMs: 610_000, toMs: 620_000, isFlap: true },
    { fromMs: 1_220_001, toMs: END_MS, isFlap: false },
  ]);
});

test('a rule that is true for one packet fires for an instant', () => {
  expect(firingsOf(notices(['triggered', 0], ['triggered', 20_000]), usualRule('state_changed'), END_MS)).toEqual([
    { fromMs: 0, toMs: 0, isFlap: false },
    { fromMs: 20_000, toMs: 20_000, isFlap: true },
  ]);
});

test('nothing that was told is nothing that is drawn', () => {
  expect(firingsOf([], rule, END_MS)).toEqual([]);
});
