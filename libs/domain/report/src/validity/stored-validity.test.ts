import { createHash } from 'node:crypto';
import { Random } from '@market-state/scenarios';
import { runSteps } from './bootstrap';
import { storedValidity, type StoredLabel } from './stored-validity';

const START_MS = 1_700_000_000_000 - (1_700_000_000_000 % 1_800_000);
const PACKETS = 2_160;

/** A walk whose step changes every five minutes; severity as given, another state each minute. */
function labels(severityOf: (nextStep: number, random: Random) => number): readonly StoredLabel[] {
  const random = new Random(3, 8);
  const steps = Array.from({ length: PACKETS / 30 + 1 }, () => 0.0001 * Math.exp(1.5 * random.normal()));
  let mid = 1_000;
  return Array.from({ length: PACKETS }, (_, index): StoredLabel => {
    mid *= Math.exp((steps[Math.floor(index / 30)] ?? 0) * random.normal());
    const severity = severityOf(steps[Math.floor((index + 6) / 30)] ?? 0, random);
    return {
      windowEndMs: START_MS + index * 10_000,
      state: index % 12 < 6 ? 'regime_transition_candidate' : 'depth_watch',
      winner: 'depth_watch',
      severity,
      severityClass: severity > 0.0002 ? 'high_context' : 'routine_context',
      mid,
    };
  });
}

const measured = (given: readonly StoredLabel[]) => runSteps(storedValidity(given));

test('a severity that foresees the next minute adds to its last ones, an independent one does not', () => {
  const [foreseeing, independent] = [measured(labels((step) => step)), measured(labels((_step, random) => random.uniform()))];
  expect(foreseeing.severity?.packets).toBe(PACKETS - 36);
  expect(foreseeing.severity?.halfHours).toBe(12);
  expect(foreseeing.severityWithHar?.packets).toBe(PACKETS - 186);
  expect(foreseeing.severity?.partialGivenTrailing?.low).toBeGreaterThan(0.3);
  expect(foreseeing.severityWithHar?.partialGivenHar?.low).toBeGreaterThan(0.3);
  expect(foreseeing.severity?.alarmOfShare?.severity).toBeGreaterThan(foreseeing.severity?.alarmOfShare?.lastFiveMinutes ?? 1);
  expect(Math.abs(independent.severity?.partialGivenTrailing?.value ?? 1)).toBeLessThan(0.1);
});

test('only outcomes that follow from prices are measured', () => {
  expect(measured(labels((step) => step)).states.map(({ state, outcome, verdict }) => [state, outcome, verdict])).toEqual([
    ['regime_transition_candidate', 'volatility_of_900s_over_3600s', 'not_shown'],
  ]);
});

test('spans over a missing packet or a missing book are not known', () => {
  const whole = labels((step) => step);
  // The packet itself, and the spans of the 6 before it and the 30 after it.
  const missing = whole.filter((_label, index) => index !== 1_000);
  expect(measured(missing).severity?.packets).toBe(PACKETS - 36 - 37);
  const without = whole.map((label, index) => (index === 1_000 ? { ...label, mid: null } : label));
  expect(measured(without).severity?.packets).toBe(PACKETS - 36 - 37);
});

test('packets that insufficient evidence won are left out, and fewer than 30 are not judged', () => {
  const whole = labels((step) => step);
  expect(measured(whole.map((label) => ({ ...label, winner: 'insufficient_evidence' })))).toEqual({
    severity: null,
    severityWithHar: null,
    states: [],
  });
  expect(measured(whole.slice(0, 60)).severity).toBeNull();
});

test('a figure of the same packets never changes', () => {
  const figures = measured(labels((step, random) => step * (1 + random.uniform())));
  const text = JSON.stringify(figures, (_name, value: unknown) => (typeof value === 'number' ? value.toPrecision(10) : value));
  expect(createHash('sha256').update(text).digest('hex')).toBe('f8eb68a7ba088653d3693052aa4ac77a15726ca3de3cc632680582f79c7349e9');
});
