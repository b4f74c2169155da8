import { recentInputs } from '../src/condition';
import { rehearse } from '../src/rehearse';
import { checkRule, type RuleSpec } from '../src/rule';
import { WINDOW_MS } from '../src/kinds';
import type { RuleInput } from '../src/rule-input';
import { NEW_RULE_STATE, type RuleState } from '../src/rule-state';
import { liveRule, stepOnPacket, stepOnSilence } from '../src/step';
import { exampleInput, nth } from './example-inputs';

const START_MS = Date.UTC(2024, 7, 8);
const base = exampleInput(0);

function ruleOf(kind: string, params: unknown, minConsecutive = 1, cooldownSeconds = 0): RuleSpec {
  const checked = checkRule({ kind, params, minConsecutive, cooldownSeconds });
  if (!('rule' in checked)) throw new Error(JSON.stringify(checked.faults));
  return checked.rule;
}

/** A packet of a window; `value` is the score that rules look at, null where it was not measured. */
const inputAt = (window: number, value: number | null = 0, sequence = window + 1): RuleInput => ({
  ...base,
  sequence,
  window_end_ms: START_MS + window * WINDOW_MS,
  event_id: `evt_${window}`,
  scores: { ...base.scores, severity_score: value },
});

function statesOf(rule: RuleSpec, inputs: readonly RuleInput[]): { states: string; standing: RuleState; reported: number } {
  const recent = recentInputs();
  let [standing, reported] = [NEW_RULE_STATE, 0];
  const states = inputs.map((input) => {
    const step = stepOnPacket(liveRule('rul_1', rule), standing, input, recent.before(input));
    recent.add(input);
    standing = step.standing;
    if (step.notice !== undefined) reported += 1;
    return standing.state;
  });
  return { states: states.join(' '), standing, reported };
}

const values = (...scores: (number | null)[]): RuleInput[] => scores.map((value, window) => inputAt(window, value));

test.each([
  ['an unknown score leaves a new rule unknown', 1, [null, null, 0.9], 'unknown unknown firing', 0],
  ['an episode does not end by an unknown score', 1, [0, 0.9, null, 0.9, 0], 'normal firing firing firing normal', 2],
  ['an unknown score does not end a count', 2, [0, 0.9, null, 0.9], 'normal pending pending firing', 1],
  ['an unknown score does not count to recover', 2, [0, 0.9, 0.9, 0, null, 0], 'normal pending firing recovering recovering normal', 2],
])('%s', (_title, minConsecutive, scores, states, reported) => {
  expect(statesOf(ruleOf('severity_at_least', { score: 0.5 }, minConsecutive), values(...scores))).toMatchObject({ states, reported });
});

test('a change of score is unknown without both scores, so a missing packet after an episode does not end it', () => {
  const rule = ruleOf('score_change', { score: 'severity_score', by: 0.5, packets: 2, direction: 'rise' });
  const all = values(0, 0, 0, 0.9, 0.9, null, 0.9, 0.9, 0.9);
  expect(statesOf(rule, all).states).toBe('unknown unknown normal firing firing firing normal normal normal');
  const holed = all.filter((_, window) => window !== 2);
  expect(statesOf(rule, holed.slice(0, 5)).states).toBe('unknown unknown firing firing firing');
});

test('a cooldown starts at the notice of a silence, not at the last packet before it', () => {
  const rule = ruleOf('feed_stale', { seconds: 30 }, 1, 60);
  const live = liveRule('rul_1', rule);
  const quiet = statesOf(rule, [inputAt(0)]).standing;
  const silent = { symbol: base.symbol, silentMs: 300_000, nowMs: START_MS + 300_000 };
  const fired = stepOnSilence(live, quiet, silent);
  expect(fired.notice?.phase).toBe('triggered');
  const back = stepOnPacket(live, fired.standing, inputAt(30), () => undefined);
  const again = { symbol: base.symbol, silentMs: 30_000 };
  expect(stepOnSilence(live, back.standing, { ...again, nowMs: silent.nowMs + 59_999 })).toMatchObject({ suppressed: true });
  expect(stepOnSilence(live, back.standing, { ...again, nowMs: silent.nowMs + 60_000 }).notice?.phase).toBe('triggered');
});

test('a rehearsal reports silence between packets and after the last one as live evaluation does', () => {
  const rule = ruleOf('feed_stale', { seconds: 30 }, 1, 120);
  const rehearsed = rehearse([rule]);
  const windows = [0, 1, 5, 6, 9, 40];
  for (const window of windows) rehearsed.add(inputAt(window));
  const live = liveRule('rul_1', rule);
  let standing = NEW_RULE_STATE;
  const reported: { phase: string; windowEndMs: number }[] = [];
  let suppressed = 0;
  for (const [index, window] of [...windows, 50].entries()) {
    const at = inputAt(window);
    const before = index === 0 ? undefined : inputAt(nth(windows, index - 1));
    for (let nowMs = (before?.window_end_ms ?? Infinity) + 5_000; before !== undefined && nowMs < at.window_end_ms; nowMs += 5_000) {
      const step = stepOnSilence(live, standing, { symbol: base.symbol, silentMs: nowMs - before.window_end_ms, nowMs });
      standing = step.standing;
      if (step.suppressed) suppressed += 1;
      if (step.notice !== undefined) reported.push({ phase: step.notice.phase, windowEndMs: before.window_end_ms });
    }
    if (window === 50) break;
    const step = stepOnPacket(live, standing, at, () => undefined);
    standing = step.standing;
    if (step.notice !== undefined) reported.push({ phase: step.notice.phase, windowEndMs: at.window_end_ms });
  }
  const result = nth(rehearsed.results(inputAt(50).window_end_ms), 0);
  expect(result.notices.map(({ phase, windowEndMs }) => ({ phase, windowEndMs }))).toEqual(reported);
  expect(reported.map(({ phase }) => phase)).toEqual(['triggered', 'recovered', 'triggered']);
  expect(result).toMatchObject({ triggered: 2, recovered: 1, suppressed, state: 'firing' });
  expect(suppressed).toBe(1);
});

test('a restart of packet numbers counts as a gap: counts restart and lookbacks do not cross it', () => {
  const rule = ruleOf('severity_at_least', { score: 0.5 }, 2);
  const afterGap = [inputAt(0, 0, 100), inputAt(1, 0.9, 101), inputAt(2, 0.9, 1), inputAt(3, 0.9, 2)];
  expect(statesOf(rule, afterGap).states).toBe('normal pending pending firing');
  const change = ruleOf('score_change', { score: 'severity_score', by: 0.5, packets: 2, direction: 'rise' });
  expect(statesOf(change, afterGap).states).toBe('unknown unknown unknown unknown');
  const rehearsed = rehearse([rule]);
  for (const input of afterGap) rehearsed.add(input);
  expect(nth(rehearsed.results(0), 0)).toMatchObject({ holes: 1, triggered: 1, state: 'firing' });
});
