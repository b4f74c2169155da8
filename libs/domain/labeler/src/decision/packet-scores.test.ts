import fc from 'fast-check';
import { compositeReads } from '../../tests/composite-reads';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import type { NearDepth } from '../features/ranges';
import type { RangeMeans } from '../read';
import { confidence, severity } from './packet-scores';

const BOUNDS = { elevated: 0.4, high: 0.5, critical: 0.55, source: 'policy_default' };

function rangesOf(newest: number, fast = newest, middle = fast, slow = middle, level = 1): RangeMeans {
  return { total: 400, newest, fast, middle, slow, level };
}

function nearDepthOf(depth: number, level = 1): NearDepth {
  return { total: 400, depth, level };
}

function of(ranges: RangeMeans | null, nearDepth: NearDepth | null, sourceState = false) {
  return severity({ ranges, nearDepth, composites: compositeReads({ flow: -0.75 }), sourceState }, FROZEN_NUMBERS);
}

describe('severity = 0.8 × movement_share + 0.2 × thin_share', () => {
  test.each<[string, RangeMeans | null, NearDepth | null, number, string, readonly string[]]>([
    ['nothing known', null, null, 0, 'routine_context', []],
    // 0.8 × r6(1 / 3) + 0.2 × 0.5
    ['ranges and depth at their levels', rangesOf(1), nearDepthOf(1), 0.366666, 'routine_context', []],
    // 0.8 × 2 / 4 + 0.2 × 0.5
    ['ranges twice their level', rangesOf(2), nearDepthOf(1), 0.5, 'high_context', ['movement']],
    // 0.8 × 6 / 8 + 0.2 × 0.5
    ['six times', rangesOf(6), nearDepthOf(1), 0.7, 'critical_context', ['movement']],
    // 0.8 × (0.1 × 0.75 + 0.9 × r6(1 / 3)) + 0.2 × 0.8
    ['one wide range over thin depth', rangesOf(6, 1), nearDepthOf(0.25), 0.46, 'elevated_context', ['thin_depth']],
    // 0.2 × 1
    ['no range yet and no depth near mid', null, nearDepthOf(0), 0.2, 'routine_context', ['thin_depth']],
    ['no movement at all, and no near depth in any packet', rangesOf(0, 0, 0, 0, 0), nearDepthOf(0, 0), 0, 'routine_context', []],
  ])('%s', (_name, ranges, nearDepth, score, severityClass, basis) => {
    expect(of(ranges, nearDepth)).toMatchObject({ score, severityClass, basis, bounds: BOUNDS });
  });

  test('its shares are reported, null where nothing is known and then counted 0', () => {
    expect(of(rangesOf(2), nearDepthOf(0.25))).toMatchObject({ movementShare: 0.5, thinShare: 0.8, strongestShare: 0.75 });
    expect(of(null, nearDepthOf(0, 0))).toMatchObject({ score: 0, movementShare: null, thinShare: null });
  });

  test('a source state has severity 0, class routine and an empty basis', () => {
    expect(of(rangesOf(6), nearDepthOf(0.25), true)).toMatchObject({
      score: 0,
      severityClass: 'routine_context',
      basis: [],
      movementShare: 0.75,
    });
  });

  test.each<[number, string]>([
    // 0.8 × v / (v + 2)
    [1.9999, 'routine_context'],
    [2, 'elevated_context'],
    [3.3333, 'elevated_context'],
    [3.3334, 'high_context'],
    [4.3999, 'high_context'],
    [4.4, 'critical_context'],
  ])('bounds are inclusive: ranges of %d times their level', (value, severityClass) => {
    expect(of(rangesOf(value), null).severityClass).toBe(severityClass);
  });
});

test('severity never falls when a range mean rises or near depth falls, all else equal', () => {
  const bps = fc.double({ min: 0, max: 500, noNaN: true });
  const four = fc.tuple(bps, bps, bps, bps);
  fc.assert(
    fc.property(four, fc.nat(3), bps, bps, bps, fc.tuple(bps, bps), (means, place, rise, level, depthLevel, depths) => {
      const at = (values: readonly number[], depth: number) => {
        const [newest = 0, fast = 0, middle = 0, slow = 0] = values;
        return of(rangesOf(newest, fast, middle, slow, level), nearDepthOf(depth, depthLevel)).score;
      };
      const risen = means.map((value, index) => (index === place ? value + rise : value));
      const [thin, deep] = [Math.min(...depths), Math.max(...depths)];
      const base = at(means, deep);
      expect(at(risen, deep)).toBeGreaterThanOrEqual(base);
      expect(at(means, thin)).toBeGreaterThanOrEqual(base);
      expect(base >= 0 && at(risen, thin) <= 1).toBe(true);
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
      const at = (evidence: number) => confidence({ ...fields, evidence }, FROZEN_NUMBERS).score;
      expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)));
    }),
    { numRuns: 500 },
  );
});
