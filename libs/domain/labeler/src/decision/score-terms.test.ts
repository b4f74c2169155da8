import { compositeReads as composites } from '../../tests/composite-reads';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import { confidence, contradiction, novelty, quality } from './packet-scores';

describe('contradiction', () => {
  test('book against flow: 0.6 × min(1, 0.5) = 0.3, and 0.2 × (1 − 0.6) = 0.08', () => {
    expect(contradiction(composites({ pressure: 0.3, flow: -0.25 }), 0.6, FROZEN_NUMBERS).score).toBe(0.38);
  });

  test('liquidations against flow add 0.2', () => {
    expect(contradiction(composites({ flow: 0.5, forced_flow: -0.3 }), 1, FROZEN_NUMBERS).score).toBe(0.2);
    expect(contradiction(composites({ flow: 0.5, forced_flow: 0.3 }), 1, FROZEN_NUMBERS).score).toBe(0);
  });

  test('everything at once is at most 1', () => {
    expect(contradiction(composites({ pressure: 1, flow: -1, forced_flow: 1 }), 0, FROZEN_NUMBERS).score).toBe(1);
  });
});

describe('confidence', () => {
  const limit = { bookStalenessMs: 5_000 };

  test.each([
    // 0.6 × (0.3 + 0.2 × 0.5 + 0.2 × 0.5 + 0.1 × 1 + 0.2 × 0.75) = 0.6 × 0.75
    [{ sourceSupportRatio: 0.6, margin: 0.1, sampleTotal: 90, freshnessMs: 1_000, evidence: 0.75 }, 0.45, 'medium'],
    // everything full: 1 × 1
    [{ sourceSupportRatio: 1, margin: 0.4, sampleTotal: 500, freshnessMs: 0, evidence: 1 }, 1, 'high'],
    // fresh at 3,000 of 1,000..5,000 is 0.5: 0.6 × (0.3 + 0.05)
    [{ sourceSupportRatio: 0.6, margin: 0, sampleTotal: 0, freshnessMs: 3_000, evidence: 0 }, 0.21, 'low'],
    // beyond the limit fresh is 0; 1 × (0.3 + 0.2 × 0.5)
    [{ sourceSupportRatio: 1, margin: 0, sampleTotal: 0, freshnessMs: 9_000, evidence: 0.5 }, 0.4, 'medium'],
    // 0.3 + 0.2 + 0.2
    [{ sourceSupportRatio: 1, margin: 0.2, sampleTotal: 0, freshnessMs: null, evidence: 1 }, 0.7, 'high'],
  ])('of %j is %d', (fields, score, label) => {
    expect(confidence({ ...limit, ...fields }, FROZEN_NUMBERS)).toMatchObject({ score, label });
  });

  test('its terms are what it is made of', () => {
    const { terms } = confidence(
      { ...limit, sourceSupportRatio: 0.6, margin: 0.1, sampleTotal: 90, freshnessMs: 3_000, evidence: 0.25 },
      FROZEN_NUMBERS,
    );
    expect(terms).toEqual([
      { name: 'source_support_ratio', value: 0.6 },
      { name: 'margin_share', value: 0.5 },
      { name: 'sample_share', value: 0.5 },
      { name: 'fresh_share', value: 0.5 },
      { name: 'evidence_share', value: 0.25 },
    ]);
  });
});

describe('quality', () => {
  test.each([
    [1, 0, 100, 'strong'],
    [0.6, 0, 60, 'usable'],
    [0.6, 1.546, 59, 'limited'], // 60 × (1 − 0.5 × 0.025767) = 59.227
    [1, 30, 75, 'usable'], // 100 × (1 − 0.5 × 0.5)
    [1, 300, 50, 'limited'],
    [0.85, 0, 85, 'strong'],
  ])('support %d with %d s of gaps is %d', (ratio, seconds, score, qualityClass) => {
    expect(quality(ratio, seconds, FROZEN_NUMBERS)).toEqual({ score, qualityClass });
  });
});

describe('novelty', () => {
  test('is 1 less the mean Jaccard similarity: with {a, b} against {a} and {b, c} it is 1 − (1/2 + 1/3) / 2', () => {
    expect(novelty(['a', 'b'], [['a'], ['b', 'c']])).toBe(0.583333);
  });

  test('is 1 with nothing before, 0 for the same again, and two empty sets are alike', () => {
    expect(novelty(['a'], [])).toBe(1);
    expect(novelty(['a'], [['a'], ['a']])).toBe(0);
    expect(novelty([], [[]])).toBe(0);
    expect(novelty([], [['a']])).toBe(1);
  });
});
