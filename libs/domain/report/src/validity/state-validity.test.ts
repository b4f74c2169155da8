import { Random } from '@market-state/scenarios';
import { HalfHours } from './bootstrap';
import { matchedLift } from './state-validity';

const PACKETS = 4_000;
const windowEnds = Float64Array.from({ length: PACKETS }, (_, index) => index * 10_000);
const random = new Random(11, 1);
const baseline = Float64Array.from({ length: PACKETS }, () => random.normal());
const outcomes = baseline.map((value) => value + random.normal());
const lift = (isState: (index: number) => boolean) =>
  matchedLift(
    outcomes,
    Float64Array.from({ length: PACKETS }, (_, index) => (isState(index) ? 1 : 0)),
    baseline,
    new HalfHours(windowEnds),
  );

test('an independent split has a lift near zero, with its interval over zero', () => {
  const found = lift(() => random.chance(0.2));
  expect(Math.abs(found?.value ?? NaN)).toBeLessThan(2);
  expect(found?.low).toBeLessThan(0);
  expect(found?.high).toBeGreaterThan(0);
});

test('a split on the baseline is matched away', () => {
  expect(Math.abs(lift((index) => (baseline[index] ?? 0) + random.normal() > 1)?.value ?? NaN)).toBeLessThan(3);
});

test('a split on what the outcome has beyond the baseline is found, on either side', () => {
  const beyond = (index: number): number => (outcomes[index] ?? 0) - (baseline[index] ?? 0);
  expect(lift((index) => beyond(index) > 0.5)?.low).toBeGreaterThan(20);
  expect(lift((index) => beyond(index) < -0.5)?.high).toBeLessThan(-20);
});

test('a state that no other packet can be matched with has no lift', () => {
  expect(lift(() => true)).toBeNull();
});
