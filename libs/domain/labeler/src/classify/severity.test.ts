import fc from 'fast-check';
import { compositeReads } from '../../tests/composite-reads';
import { POLICY_NUMBERS } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type SeverityBounds } from '../read';
import { confidence } from './packet-scores';
import { severity, defaultSeverityBounds, severityBounds } from './severity';

const BOUNDS = defaultSeverityBounds(POLICY_NUMBERS);

function of(movementBps: number | null, scores: Partial<Record<CompositeName, number>>, bounds = BOUNDS, sourceState = false) {
  return severity({ movementBps, composites: compositeReads(scores), sourceState, bounds }, POLICY_NUMBERS);
}

describe('severity = 0.7 × M / (M + 20) + 0.3 × S', () => {
  test.each<[number | null, Partial<Record<CompositeName, number>>, number, string, readonly string[]]>([
    [0, {}, 0, 'routine_context', []],
    // 0.7 × 20 / 40
    [20, {}, 0.35, 'routine_context', ['movement']],
    // 20 bps less a little are no basis; 0.7 × 0.5 = 0.35
    [19.999999, {}, 0.35, 'routine_context', []],
    // 0.7 × 0.75 + 0.3 × 0.16 / 0.32
    [60, { pressure: 0.16 }, 0.675, 'high_context', ['movement', 'pressure']],
    // 0.3 × 0.4 / 0.8 of crowding, more than the 0.2 / 0.45 of flow
    [0, { crowding: 0.4, flow: 0.2 }, 0.15, 'routine_context', ['crowding']],
    // 0.7 × 0.9 + 0.3 × r6(1 / 1.2)
    [180, { forced_flow: 1 }, 0.88, 'critical_context', ['movement', 'forced_flow']],
    // the basis stands in table order
    [0, { regime: 0.5, flow: -0.25 }, 0.15, 'routine_context', ['flow', 'regime']],
  ])('%d bps with %j is %d', (movementBps, scores, score, severityClass, basis) => {
    expect(of(movementBps, scores)).toMatchObject({ score, severityClass, basis });
  });

  test('its shares are shown beside it, the movement null without a book and then counted 0', () => {
    expect(of(60, { flow: -0.75 })).toMatchObject({ movementShare: 0.75, strongestShare: 0.75, bounds: BOUNDS });
    expect(of(null, { flow: 0.75 })).toMatchObject({ score: 0.225, movementShare: null, strongestShare: 0.75 });
  });

  test('where a source state wins it is 0, routine and rests on nothing', () => {
    expect(of(60, { flow: 1 }, BOUNDS, true)).toEqual({
      score: 0,
      severityClass: 'routine_context',
      basis: [],
      movementShare: 0.75,
      strongestShare: 0.8,
      bounds: BOUNDS,
    });
  });

  test.each<[number, string]>([
    // 0.7 × M / (M + 20) alone, against bounds of its own
    [0, 'routine_context'],
    [19, 'routine_context'],
    [20, 'elevated_context'],
    [21, 'elevated_context'],
    [60, 'high_context'],
    [180, 'critical_context'],
  ])('the bounds are inclusive: %d bps', (movementBps, severityClass) => {
    const bounds: SeverityBounds = { elevated: 0.35, high: 0.525, critical: 0.63, source: 'symbol_rolling_quantile' };
    expect(of(movementBps, {}, bounds).severityClass).toBe(severityClass);
  });
});

test('severity never falls when the movement or any composite rises, all else equal', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const bps = fc.double({ min: 0, max: 500, noNaN: true });
  fc.assert(
    fc.property(bps, bps, fc.tuple(unit, unit, unit, unit, unit, unit), fc.nat(5), unit, (move, more, parts, place, rise) => {
      const scores = (values: readonly number[]) => Object.fromEntries(COMPOSITES.map((name, index) => [name, values[index] ?? 0]));
      const risen = parts.map((value, index) => (index === place ? value + (1 - value) * rise : value));
      const [low, high] = [Math.min(move, more), Math.max(move, more)];
      const base = of(low, scores(parts)).score;
      expect(of(high, scores(parts)).score).toBeGreaterThanOrEqual(base);
      expect(of(low, scores(risen)).score).toBeGreaterThanOrEqual(base);
      expect(base >= 0 && of(high, scores(risen)).score <= 1).toBe(true);
      expect(of(high, scores(risen), BOUNDS, true).score).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test('confidence never falls when only evidence rises', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const input = fc.record({
    sourceSupportRatio: unit,
    margin: unit,
    sampleTotal: fc.nat(2_160),
    freshnessMs: fc.option(fc.nat(20_000)),
    bookStalenessMs: fc.integer({ min: 5_000, max: 60_000 }),
  });
  fc.assert(
    fc.property(input, unit, unit, (fields, a, b) => {
      const at = (evidence: number) => confidence({ ...fields, evidence }, POLICY_NUMBERS).score;
      expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)));
    }),
    { numRuns: 500 },
  );
});

describe('severity bounds', () => {
  const T = 300_000;
  const scores = (total: number, of = (index: number) => index / total) => Array.from({ length: total }, (_, index) => of(index + 1));
  const bounds = (samples: readonly number[], windowEndMs = T, previous = BOUNDS) =>
    severityBounds(previous, () => samples, windowEndMs, POLICY_NUMBERS);

  test("are the policy's until there are 180 scores, and then the symbol's at whatever T", () => {
    expect(bounds(scores(179))).toEqual({ elevated: 0.5, high: 0.6, critical: 0.7, source: 'policy_default' });
    // q60 0.6, q88 r6(159 / 180) = 0.883333 clamped to 1.3 × 0.6, q98 r6(177 / 180) clamped to 1.3 × 0.7
    expect(bounds(scores(180), T + 10_000)).toEqual({ elevated: 0.6, high: 0.78, critical: 0.91, source: 'symbol_rolling_quantile' });
  });

  test('each is at least 0.05 above the one before, and none under 0.7 of its default', () => {
    expect(bounds(scores(200, () => 0))).toMatchObject({ elevated: 0.35, high: 0.42, critical: 0.49 });
    // 0.62 thrice: elevated 0.62, then 0.67, then 0.72
    expect(bounds(scores(200, () => 0.62))).toMatchObject({ elevated: 0.62, high: 0.67, critical: 0.72 });
    expect(bounds(scores(200, () => 1))).toMatchObject({ elevated: 0.65, high: 0.78, critical: 0.91 });
  });

  test('stay in order whatever the scores', () => {
    const series = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 180, maxLength: 400 });
    fc.assert(
      fc.property(series, (samples) => {
        const { elevated, high, critical } = bounds(samples);
        expect([high - elevated >= 0.05 - 1e-9, critical - high >= 0.05 - 1e-9]).toEqual([true, true]);
        expect([elevated >= 0.35, elevated <= 0.65, critical <= 0.91]).toEqual([true, true, true]);
      }),
    );
  });

  test('are renewed at multiples of 300 s alone, even from fewer scores, but not from none', () => {
    const before = bounds(scores(180));
    expect(
      bounds(
        scores(200, () => 0.62),
        T + 10_000,
        before,
      ),
    ).toBe(before);
    expect(bounds([0.62], 2 * T, before)).toMatchObject({ elevated: 0.62, high: 0.67, critical: 0.72 });
    expect(bounds([], 2 * T, before)).toBe(before);
  });
});
