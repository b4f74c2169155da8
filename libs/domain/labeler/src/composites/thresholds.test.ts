import fc from 'fast-check';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import { COMPOSITES, type CompositeName } from '../names';
import { calibrate, defaultCalibration, norm, readThresholds, scaleByActivity, type ThresholdPairs } from './thresholds';

const sixOf = (value: number): Record<CompositeName, number> =>
  Object.fromEntries(COMPOSITES.map((name) => [name, value])) as Record<CompositeName, number>;

describe('norm', () => {
  test.each([
    [0, 0],
    [0.175, 0.25], // half of watch: 0.5 × 0.175 / 0.35
    [0.35, 0.5], // watch
    [0.475, 0.75], // halfway: 0.5 + 0.5 × 0.125 / 0.25
    [0.6, 1], // elevated
    [0.9, 1],
  ])('%d against (0.35, 0.6) is %d', (value, expected) => {
    expect(norm(value, { watch: 0.35, elevated: 0.6 })).toBe(expected);
  });

  test('it never falls as the value rises, and stays in 0..1', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        unit,
        unit,
        fc.double({ min: 0.01, max: 0.9, noNaN: true }),
        fc.double({ min: 0.05, max: 0.5, noNaN: true }),
        (a, b, watch, gap) => {
          const pair = { watch, elevated: watch + gap };
          const [low, high] = a <= b ? [a, b] : [b, a];
          expect(norm(low, pair)).toBeLessThanOrEqual(norm(high, pair));
          expect(norm(low, pair)).toBeGreaterThanOrEqual(0);
          expect(norm(high, pair)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('threshold crossings', () => {
  const { pairs } = defaultCalibration(FROZEN_NUMBERS, 0);

  test.each([
    [0.35, 'crossed', 0],
    [0.349, 'near_threshold', -0.001],
    [0.315, 'near_threshold', -0.035], // 0.9 × 0.35
    [0.314999, 'below', -0.035001],
  ])('fragility of %d against its watch threshold is %s', (value, crossingClass, distance) => {
    const watch = readThresholds(sixOf(value), pairs, 0.9).find((read) => read.featureId === 'fragility_watch');
    expect(watch).toEqual({
      featureId: 'fragility_watch',
      composite: 'fragility',
      level: 'watch',
      threshold: 0.35,
      value,
      distance,
      crossingClass,
    });
  });

  test('the twelve come in table order', () => {
    expect(readThresholds(sixOf(0), pairs, 0.9).map((read) => read.featureId)).toEqual([
      'pressure_watch',
      'pressure_elevated',
      'flow_watch',
      'flow_elevated',
      'fragility_watch',
      'fragility_elevated',
      'crowding_watch',
      'crowding_elevated',
      'forced_flow_watch',
      'forced_flow_elevated',
      'regime_watch',
      'regime_elevated',
    ]);
  });
});

describe('calibration', () => {
  const policy = defaultCalibration(FROZEN_NUMBERS, 0);
  const refreshMs = 300_000;
  const ramp = (total: number, top: number): number[] => Array.from({ length: total }, (_, index) => ((index + 1) * top) / total);
  const calibrated = (scores: number[], windowEndMs = 10_000) =>
    calibrate(policy, scores.length, () => ({ pressure: scores, flow: scores, fragility: scores }), windowEndMs, FROZEN_NUMBERS);

  test('under 180 samples the policy stands and says how many there are', () => {
    const read = calibrate(policy, 179, () => ({}), refreshMs, FROZEN_NUMBERS);
    expect(read).toMatchObject({ source: 'policy_default', sampleTotal: 179, pairs: { fragility: { watch: 0.35, elevated: 0.6 } } });
  });

  test('at 180 samples q80 and q95 take over: of 1/180 … 180/180 of 0.6 they are the 144th and 171st', () => {
    // 144 × 0.6 / 180 = 0.48; 171 × 0.6 / 180 = 0.57
    expect(calibrated(ramp(180, 0.6))).toMatchObject({
      source: 'symbol_rolling_quantile',
      sampleTotal: 180,
      pairs: { fragility: { watch: 0.48, elevated: 0.57 }, crowding: { watch: 0.4, elevated: 0.7 } },
    });
  });

  test('quantiles are clamped to half and one and a half times the default, at most 0.95', () => {
    expect(calibrated(ramp(180, 0.01)).pairs.fragility).toEqual({ watch: 0.175, elevated: 0.3 });
    expect(calibrated(ramp(180, 1)).pairs.fragility).toEqual({ watch: 0.525, elevated: 0.9 });
    const numbers = { ...FROZEN_NUMBERS, calibration: { ...FROZEN_NUMBERS.calibration, clamp_high: 2 } };
    expect(calibrate(policy, 180, () => ({ fragility: ramp(180, 1), pressure: [1], flow: [1] }), 0, numbers).pairs.fragility).toEqual({
      watch: 0.7,
      elevated: 0.95,
    });
  });

  test('elevated stays at least 0.05 above watch', () => {
    expect(calibrated(Array<number>(180).fill(0.5)).pairs.fragility).toEqual({ watch: 0.5, elevated: 0.55 });
  });

  test('afterwards it is renewed at multiples of 300 s only', () => {
    const first = calibrated(ramp(180, 0.6));
    const later = { pressure: ramp(200, 0.5), flow: ramp(200, 0.5), fragility: ramp(200, 0.5) };
    expect(calibrate(first, 200, () => later, 290_000, FROZEN_NUMBERS)).toBe(first);
    expect(calibrate(first, 200, () => later, 300_000, FROZEN_NUMBERS)).toMatchObject({
      sampleTotal: 200,
      pairs: { fragility: { watch: 0.4, elevated: 0.475 } },
    });
  });
});

describe('thresholds in force', () => {
  const pairs = sixPairs({ watch: 0.2, elevated: 0.4 });

  test.each([
    [1, 0.2, 0.4],
    [1.25, 0.128, 0.256], // 1 / 1.5625 = 0.64
    [0.8, 0.3125, 0.625], // 1 / 0.64 = 1.5625
    [2, 0.066667, 0.133333], // 0.25, at least a third
    [0.5, 0.6, 0.95], // 4, at most 3; 1.2 is above the maximum
    [0, 0.6, 0.95],
  ])('at an activity of %d, (0.2, 0.4) is (%d, %d) for P, F and Q', (activity, watch, elevated) => {
    const scaled = scaleByActivity(pairs, activity, FROZEN_NUMBERS);
    expect([scaled.pressure, scaled.flow, scaled.fragility]).toEqual(Array(3).fill({ watch, elevated }));
    expect([scaled.crowding, scaled.forced_flow, scaled.regime]).toEqual(Array(3).fill({ watch: 0.2, elevated: 0.4 }));
  });

  test('elevated stays at least 0.05 above watch', () => {
    const scaled = scaleByActivity(sixPairs({ watch: 0.4, elevated: 0.45 }), 0.5, FROZEN_NUMBERS);
    expect(scaled.pressure).toEqual({ watch: 0.95, elevated: 1 });
    expect(scaleByActivity(sixPairs({ watch: 0.06, elevated: 0.11 }), 2, FROZEN_NUMBERS).flow).toEqual({ watch: 0.02, elevated: 0.07 });
  });
});

function sixPairs(pair: { readonly watch: number; readonly elevated: number }): ThresholdPairs {
  return Object.fromEntries(COMPOSITES.map((name) => [name, pair])) as ThresholdPairs;
}
