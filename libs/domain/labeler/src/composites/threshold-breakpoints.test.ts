import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import { COMPOSITES, type CompositeName } from '../names';
import { calibrate, defaultCalibration, type Calibration, norm, readThresholds } from './thresholds';

describe('norm at every breakpoint of the policy’s pairs', () => {
  test.each<[CompositeName, number, number]>([
    ['fragility', 0, 0],
    // 0.5 × 0.07 / 0.35
    ['fragility', 0.07, 0.1],
    // 0.5 × 0.349999 / 0.35 = 0.4999986
    ['fragility', 0.349999, 0.499999],
    ['fragility', 0.35, 0.5],
    // 0.5 + 0.5 × 0.000001 / 0.25
    ['fragility', 0.350001, 0.500002],
    // 0.5 + 0.5 × 0.05 / 0.25
    ['fragility', 0.4, 0.6],
    ['fragility', 0.599999, 0.999998],
    ['fragility', 0.6, 1],
    ['fragility', 0.600001, 1],
    ['fragility', 1, 1],
    // 0.5 × 0.08 / 0.16; 0.5 + 0.5 × 0.07 / 0.14
    ['pressure', 0.08, 0.25],
    ['pressure', 0.16, 0.5],
    ['pressure', 0.23, 0.75],
    ['pressure', 0.3, 1],
    ['flow', 0.125, 0.25],
    ['flow', 0.25, 0.5],
    ['flow', 0.375, 0.75],
    ['flow', 0.5, 1],
    ['crowding', 0.2, 0.25],
    ['crowding', 0.4, 0.5],
    // 0.5 + 0.5 × 0.15 / 0.3
    ['crowding', 0.55, 0.75],
    ['crowding', 0.7, 1],
    ['forced_flow', 0.1, 0.25],
    ['forced_flow', 0.2, 0.5],
    ['forced_flow', 0.35, 0.75],
    ['forced_flow', 0.5, 1],
    // 0.5 × 0.4 / 0.5
    ['regime', 0.16, 0.4],
    ['regime', 0.2, 0.5],
    ['regime', 0.275, 0.75],
    ['regime', 0.35, 1],
  ])('%s of %d is %d', (name, score, expected) => {
    expect(norm(score, FROZEN_NUMBERS.thresholds[name])).toBe(expected);
  });
});

describe('each of the twelve thresholds', () => {
  const { pairs } = defaultCalibration(FROZEN_NUMBERS, 0);
  const at = (name: CompositeName, score: number) => {
    const scores = Object.fromEntries(COMPOSITES.map((other) => [other, other === name ? score : 0])) as Record<CompositeName, number>;
    return readThresholds(scores, pairs, 0.9).filter((read) => read.composite === name);
  };

  test.each<[CompositeName, 'watch' | 'elevated', number, number]>([
    // near is from 0.9 × threshold on
    ['pressure', 'watch', 0.16, 0.144],
    ['pressure', 'elevated', 0.3, 0.27],
    ['flow', 'watch', 0.25, 0.225],
    ['flow', 'elevated', 0.5, 0.45],
    ['fragility', 'watch', 0.35, 0.315],
    ['fragility', 'elevated', 0.6, 0.54],
    ['crowding', 'watch', 0.4, 0.36],
    ['crowding', 'elevated', 0.7, 0.63],
    ['forced_flow', 'watch', 0.2, 0.18],
    ['forced_flow', 'elevated', 0.5, 0.45],
    ['regime', 'watch', 0.2, 0.18],
    ['regime', 'elevated', 0.35, 0.315],
  ])('%s %s: crossed at %d, near from %d', (name, level, threshold, near) => {
    const classAt = (score: number) => at(name, score).find((read) => read.level === level);
    expect(classAt(threshold)).toMatchObject({ crossingClass: 'crossed', threshold, distance: 0, featureId: `${name}_${level}` });
    expect(classAt(threshold - 1e-6)).toMatchObject({ crossingClass: 'near_threshold', distance: -0.000001 });
    expect(classAt(near)?.crossingClass).toBe('near_threshold');
    expect(classAt(near - 1e-6)?.crossingClass).toBe('below');
    expect(classAt(1)?.crossingClass).toBe('crossed');
  });
});

describe('calibration', () => {
  const policy = defaultCalibration(FROZEN_NUMBERS, 0);
  const QUIET = Array<number>(180).fill(0.4);

  /** The pair of fragility when the session's Q are these. */
  function fragilityPair(scores: readonly number[]) {
    return calibrate(policy, scores.length, () => ({ pressure: QUIET, flow: QUIET, fragility: scores }), 10_000, FROZEN_NUMBERS).pairs
      .fragility;
  }

  /** 180 scores of which the 144th smallest, q80, is `watch` and the 171st, q95, `elevated`. */
  const quantiles = (watch: number, elevated: number) => [
    ...Array<number>(144).fill(watch),
    ...Array<number>(27).fill(elevated),
    ...Array<number>(9).fill(elevated),
  ];

  test.each([
    ['inside the clamps', 0.4, 0.7, { watch: 0.4, elevated: 0.7 }],
    // 0.5 × 0.35 and 0.5 × 0.60
    ['at the lower clamps', 0.175, 0.3, { watch: 0.175, elevated: 0.3 }],
    ['below the lower clamps', 0.174, 0.299, { watch: 0.175, elevated: 0.3 }],
    // 1.5 × 0.35 = 0.525, 1.5 × 0.60 = 0.9
    ['at the upper clamps', 0.525, 0.9, { watch: 0.525, elevated: 0.9 }],
    ['above the upper clamps', 0.526, 0.91, { watch: 0.525, elevated: 0.9 }],
    // elevated at least watch + 0.05
    ['0.05 apart', 0.5, 0.55, { watch: 0.5, elevated: 0.55 }],
    ['less than 0.05 apart', 0.5, 0.549, { watch: 0.5, elevated: 0.55 }],
    ['watch clamped down, elevated under it + 0.05', 0.57, 0.57, { watch: 0.525, elevated: 0.575 }],
  ])('%s: q80 %d, q95 %d', (_, watch, elevated, pair) => {
    expect(fragilityPair(quantiles(watch, elevated))).toEqual(pair);
  });

  test('q80 is the 144th and q95 the 171st of 180: one rank lower is another value', () => {
    const steps = [...Array<number>(143).fill(0.3), 0.41, ...Array<number>(26).fill(0.5), 0.61, ...Array<number>(9).fill(0.8)];
    expect(fragilityPair(steps)).toEqual({ watch: 0.41, elevated: 0.61 });
    expect(fragilityPair([...steps].reverse())).toEqual({ watch: 0.41, elevated: 0.61 });
  });

  test('at most 0.95 even where the clamps allow more: 1.5 × 0.80 = 1.2', () => {
    const thresholds = { ...FROZEN_NUMBERS.thresholds, flow: { watch: 0.7, elevated: 0.8, calibrated: true } };
    const scores = quantiles(1, 1);
    const read = calibrate(policy, 180, () => ({ pressure: QUIET, flow: scores, fragility: QUIET }), 10_000, {
      ...FROZEN_NUMBERS,
      thresholds,
    });
    // watch 0.95; elevated 0.95, at least 0.95 + 0.05
    expect(read.pairs.flow).toEqual({ watch: 0.95, elevated: 1 });
  });

  test('P, F and Q each have their own; C, L and R stay the policy’s', () => {
    const read = calibrate(
      policy,
      180,
      () => ({ pressure: quantiles(0.2, 0.4), flow: quantiles(0.3, 0.6), fragility: quantiles(0.4, 0.5) }),
      10_000,
      FROZEN_NUMBERS,
    );
    expect(read.pairs).toEqual({
      pressure: { watch: 0.2, elevated: 0.4 },
      flow: { watch: 0.3, elevated: 0.6 },
      fragility: { watch: 0.4, elevated: 0.5 },
      crowding: { watch: 0.4, elevated: 0.7 },
      forced_flow: { watch: 0.2, elevated: 0.5 },
      regime: { watch: 0.2, elevated: 0.35 },
    });
  });

  test('179 samples leave the defaults, the 180th calibrates at whatever T, then only multiples of 300 s', () => {
    const scores = (value: number) => () => ({ pressure: [value], flow: [value], fragility: [value] });
    const seen: [string, number, number][] = [];
    let state: Calibration = policy;
    for (const [samples, value, windowEndMs] of [
      [178, 0.3, 290_000],
      [179, 0.3, 300_000],
      [180, 0.3, 310_000],
      [181, 0.4, 320_000],
      [209, 0.4, 590_000],
      [210, 0.4, 600_000],
      [211, 0.5, 610_000],
    ] as const) {
      state = calibrate(state, samples, scores(value), windowEndMs, FROZEN_NUMBERS);
      seen.push([state.source, state.sampleTotal, state.pairs.fragility.watch]);
    }
    expect(seen).toEqual([
      ['policy_default', 178, 0.35],
      ['policy_default', 179, 0.35],
      ['symbol_rolling_quantile', 180, 0.3],
      ['symbol_rolling_quantile', 180, 0.3],
      ['symbol_rolling_quantile', 180, 0.3],
      ['symbol_rolling_quantile', 210, 0.4],
      ['symbol_rolling_quantile', 210, 0.4],
    ]);
  });
});
