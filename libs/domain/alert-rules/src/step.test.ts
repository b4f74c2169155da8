import fc from 'fast-check';
import { exampleInput, nth } from '../tests/example-inputs';
import { recentInputs } from './condition';
import { rehearse } from './rehearse';
import { checkRule, type RuleSpec } from './rule';
import { WINDOW_MS } from './kinds';
import { readRuleState, type RuleInput } from './rule-input';
import { NEW_RULE_STATE, type RuleState } from './rule-state';
import { endRuleEpisode, liveRule, type Notice, stepOnPacket, stepOnSilence } from './step';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 30);
const START_MS = Date.UTC(2024, 7, 8);
const base = exampleInput(0);

function ruleOf(kind: string, params: unknown, minConsecutive = 1, cooldownSeconds = 0): RuleSpec {
  const checked = checkRule({ kind, params, minConsecutive, cooldownSeconds });
  if (!('rule' in checked)) throw new Error(JSON.stringify(checked.faults));
  return checked.rule;
}
const stateIs = (minConsecutive = 1, cooldownSeconds = 0) =>
  ruleOf('state_is', { states: ['depth_watch'] }, minConsecutive, cooldownSeconds);

/** Packets by window: `T` in the state looked for, `F` in another, `.` for a window without packet. */
function inputsOf(pattern: string): RuleInput[] {
  const at = (letter: string, index: number): RuleInput => ({
    ...base,
    sequence: index + 1,
    window_end_ms: START_MS + index * WINDOW_MS,
    event_id: `evt_${index}`,
    state: letter === 'T' ? 'depth_watch' : 'pressure_building',
  });
  return [...pattern].flatMap((letter, index) => (letter === '.' ? [] : [at(letter, index)]));
}

interface Reported extends Notice {
  readonly windowEndMs: number;
}

function run(rule: RuleSpec, inputs: readonly RuleInput[], between: (standing: RuleState) => RuleState = (standing) => standing) {
  const live = liveRule('rul_1', rule);
  const recent = recentInputs();
  const notices: Reported[] = [];
  const states: string[] = [];
  let [standing, suppressed] = [NEW_RULE_STATE, 0];
  for (const input of inputs) {
    const step = stepOnPacket(live, between(standing), input, recent.before(input));
    recent.add(input);
    standing = step.standing;
    states.push(standing.state);
    if (step.suppressed) suppressed += 1;
    if (step.notice !== undefined) notices.push({ ...step.notice, windowEndMs: input.window_end_ms });
  }
  return { standing, notices, states: states.join(' '), suppressed, phases: notices.map(({ phase }) => phase).join(' ') };
}

const silence = (silentMs: number, nowMs = START_MS + silentMs) => ({ symbol: base.symbol, silentMs, nowMs });

const LONG_GAP = '.'.repeat(61);

test.each([
  ['a new rule whose condition is met fires as a baseline', stateIs(), 'TT', 'firing firing', ''],
  ['a new rule whose condition is not met is normal', stateIs(), 'FF', 'normal normal', ''],
  ['fires once, on the transition', stateIs(), 'FTTT', 'normal firing firing firing', 'triggered'],
  ['recovers', stateIs(), 'FTFF', 'normal firing normal normal', 'triggered recovered'],
  ['a baseline has nothing to recover from', stateIs(), 'TF', 'firing normal', ''],
  [
    'fires only after the required consecutive packets',
    stateIs(3),
    'FTTFTTT',
    'normal pending pending normal pending pending firing',
    'triggered',
  ],
  [
    'recovers only after the required consecutive packets',
    stateIs(2),
    'FTTFTFF',
    'normal pending firing recovering firing recovering normal',
    'triggered recovered',
  ],
  ['a missing packet restarts the count to fire', stateIs(2), 'FT.TT', 'normal pending pending firing', 'triggered'],
  [
    'a missing packet restarts the count to recover',
    stateIs(2),
    'FTTF.FF',
    'normal pending firing recovering recovering normal',
    'triggered recovered',
  ],
  ['a long gap makes the state unknown', stateIs(), `F${LONG_GAP}T`, 'normal firing', ''],
  [
    'an episode whose trigger was sent recovers after a long gap',
    stateIs(),
    `FT${LONG_GAP}F`,
    'normal firing normal',
    'triggered recovered',
  ],
  ['an episode continues across a long gap', stateIs(), `FT${LONG_GAP}TF`, 'normal firing firing normal', 'triggered recovered'],
  ['every change of state triggers', ruleOf('state_changed', {}), 'FTTF', 'normal normal normal normal', 'triggered triggered'],
  ['a change of state across a missing packet does not trigger', ruleOf('state_changed', {}), 'F.T', 'normal normal', ''],
  [
    'a change to a state other than the requested one does not trigger',
    ruleOf('state_changed', { to: 'depth_watch' }),
    'FTF',
    'normal normal normal',
    'triggered',
  ],
])('%s', (_title, rule, pattern, states, phases) => {
  const result = run(rule, inputsOf(pattern));
  expect([result.states, result.phases]).toEqual([states, phases]);
});

test('triggers within the cooldown are counted but not sent, nor are their recoveries; the next trigger after it is sent', () => {
  const reported = run(stateIs(1, 60), inputsOf('FTFTFFFFTF'));
  expect([reported.phases, reported.suppressed]).toEqual(['triggered recovered triggered recovered', 1]);
  expect(reported.notices.map(({ transition }) => transition)).toEqual([1, 2, 3, 4]);
});

test('a packet that was already evaluated changes nothing', () => {
  const inputs = inputsOf('FT');
  const { standing } = run(stateIs(), inputs);
  const again = stepOnPacket(liveRule('rul_1', stateIs()), standing, nth(inputs, 1), () => undefined);
  expect(again).toEqual({ standing, suppressed: false });
});

test('silence marks the state as stale and changes only feed_stale, which recovers with the next packet', () => {
  const { standing } = run(stateIs(), inputsOf('F'));
  expect(stepOnSilence(liveRule('rul_1', stateIs()), standing, silence(59_999)).standing).toBe(standing);
  expect(stepOnSilence(liveRule('rul_1', stateIs()), standing, silence(3_600_000))).toEqual({
    standing: { ...standing, stale: true },
    suppressed: false,
  });
  const rule = ruleOf('feed_stale', { seconds: 30 });
  const inputs = inputsOf('FFF');
  const quiet = run(rule, inputs.slice(0, 1)).standing;
  const live = liveRule('rul_1', rule);
  expect(stepOnSilence(live, quiet, silence(29_999)).notice).toBeUndefined();
  const fired = stepOnSilence(live, quiet, silence(30_000));
  expect(fired.notice).toMatchObject({ phase: 'triggered', condition: { seconds: 30, no_packet: true } });
  expect(stepOnSilence(live, fired.standing, silence(35_000)).notice).toBeUndefined();
  expect(stepOnPacket(live, fired.standing, nth(inputs, 2), () => undefined).notice).toMatchObject({ phase: 'recovered' });
});

test('a rule that ends sends a notice for its open episode if the trigger was sent', () => {
  const firing = run(stateIs(), inputsOf('FT'));
  expect(endRuleEpisode(firing.standing)).toEqual({
    phase: 'ended',
    episodeId: nth(firing.notices, 0).episodeId,
    transition: 2,
    condition: {},
  });
  expect(endRuleEpisode(run(stateIs(), inputsOf('T')).standing)).toBeUndefined();
  expect(endRuleEpisode(run(stateIs(), inputsOf('FTF')).standing)).toBeUndefined();
});

const patterns = fc.array(fc.constantFrom('T', 'F', 'T', 'F', '.', LONG_GAP), { maxLength: 80 }).map((parts) => parts.join(''));
const settings = fc.record({ minConsecutive: fc.integer({ min: 1, max: 4 }), cooldown: fc.constantFrom(0, 30, 300) });

test('an episode is triggered once and recovered once, after its trigger; transitions rise by one', () => {
  fc.assert(
    fc.property(patterns, settings, (pattern, { minConsecutive, cooldown }) => {
      const { notices } = run(stateIs(minConsecutive, cooldown), inputsOf(pattern));
      expect(notices.map(({ transition }) => transition)).toEqual(notices.map((_, index) => index + 1));
      notices.forEach(({ phase, episodeId }, index) => {
        expect(phase).toBe(index % 2 === 0 ? 'triggered' : 'recovered');
        if (phase === 'recovered') expect(episodeId).toBe(nth(notices, index - 1).episodeId);
      });
      const triggered = notices.filter(({ phase }) => phase === 'triggered');
      expect(new Set(triggered.map(({ episodeId }) => episodeId)).size).toBe(triggered.length);
      triggered.forEach(({ windowEndMs }, index) => {
        if (index > 0) expect(windowEndMs - nth(triggered, index - 1).windowEndMs).toBeGreaterThanOrEqual(cooldown * 1_000);
      });
    }),
    { numRuns: RUNS },
  );
});

test('storing a standing between any two packets changes nothing, and a rehearsal says the same', () => {
  fc.assert(
    fc.property(patterns, settings, (pattern, { minConsecutive, cooldown }) => {
      const rule = stateIs(minConsecutive, cooldown);
      const inputs = inputsOf(pattern);
      const live = run(rule, inputs);
      expect(run(rule, inputs, (standing) => readRuleState(JSON.parse(JSON.stringify(standing))))).toEqual(live);
      const rehearsed = rehearse([rule]);
      inputs.forEach((input) => rehearsed.add(input));
      const result = nth(rehearsed.results(inputs.at(-1)?.window_end_ms ?? 0), 0);
      expect(result.notices.map(({ phase, windowEndMs }) => ({ phase, windowEndMs }))).toEqual(
        live.notices.map(({ phase, windowEndMs }) => ({ phase, windowEndMs })),
      );
      expect(result).toMatchObject({ suppressed: live.suppressed, ...(inputs.length > 0 ? { state: live.standing.state } : {}) });
      expect(result.settings).toContainEqual({ minConsecutive, triggered: result.triggered, flaps: result.flaps });
    }),
    { numRuns: RUNS },
  );
});

test('a rehearsal looks back at what was before its span', () => {
  const rule = ruleOf('score_change', { score: 'queue_fragility_score', by: 0.1, packets: 2 });
  const scoreAt = (index: number): number => (index < 2 ? 0 : 0.5);
  const inputs = inputsOf('FFFF').map((input, index) => ({ ...input, scores: { ...input.scores, queue_fragility_score: scoreAt(index) } }));
  const both = [rehearse([rule]), rehearse([rule], inputs.slice(0, 2))];
  for (const rehearsal of both) inputs.slice(2).forEach((input) => rehearsal.add(input));
  expect(both.map((rehearsal) => nth(rehearsal.results(0), 0).state)).toEqual(['unknown', 'firing']);
});

test('a rehearsal counts flaps and gaps, and triggers and flaps at other settings', () => {
  const rehearsed = rehearse([stateIs()]);
  inputsOf('FTFTTF..TTTF').forEach((input) => rehearsed.add(input));
  expect(rehearsed.results(0)[0]).toMatchObject({
    triggered: 3,
    recovered: 3,
    flaps: 2,
    holes: 1,
    settings: [
      { minConsecutive: 1, triggered: 3, flaps: 2 },
      { minConsecutive: 2, triggered: 1, flaps: 0 },
      { minConsecutive: 3, triggered: 1, flaps: 0 },
      { minConsecutive: 6, triggered: 0, flaps: 0 },
    ],
  });
});
