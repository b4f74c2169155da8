import { compositeRead } from '../../tests/composite-reads';
import { POLICY_NUMBERS } from '../policy/numbers';
import type { CompositeRead, Side } from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { confidence, confidenceLabel, contradiction, novelty, quality } from './packet-scores';
import { diagnosisClass } from './event-class';

/** Composites of these norms and sides, each at watch only where it is named so. */
function composites(
  parts: Partial<Record<CompositeName, { norm: number; side?: Side; watched?: boolean }>>,
): Record<CompositeName, CompositeRead> {
  return Object.fromEntries(
    COMPOSITES.map((name): [CompositeName, CompositeRead] => {
      const { norm = 0, side = 0, watched = false } = parts[name] ?? {};
      return [name, compositeRead(name, 0, { score: watched ? 0.5 : 0.1, norm, side, watch: 0.5, elevated: 0.8 })];
    }),
  ) as Record<CompositeName, CompositeRead>;
}

describe('contradiction: each term', () => {
  const read = (parts: Parameters<typeof composites>[0], support: number) => {
    const { score, terms } = contradiction(composites(parts), support, POLICY_NUMBERS);
    return [score, ...terms.map(({ value }) => value)];
  };

  test.each<[string, Parameters<typeof composites>[0], number, readonly number[]]>([
    // 0.6 × min(0.8, 0.5)
    ['book against flow', { pressure: { norm: 0.8, side: 1 }, flow: { norm: 0.5, side: -1 } }, 1, [0.3, 0.3, 0, 0]],
    ['book with flow', { pressure: { norm: 0.8, side: -1 }, flow: { norm: 0.5, side: -1 } }, 1, [0, 0, 0, 0]],
    ['a flow without a side', { pressure: { norm: 0.8, side: 1 }, flow: { norm: 0 } }, 1, [0, 0, 0, 0]],
    ['liquidations against flow', { flow: { norm: 0.1, side: 1 }, forced_flow: { norm: 0, side: -1 } }, 1, [0.2, 0, 0.2, 0]],
    ['liquidations with flow', { flow: { norm: 0.1, side: 1 }, forced_flow: { norm: 1, side: 1 } }, 1, [0, 0, 0, 0]],
    // 0.2 × (1 − 0.7)
    ['sources alone', {}, 0.7, [0.06, 0, 0, 0.06]],
    // 0.6 + 0.2 + 0.2 × (1 − 0.4) = 0.92
    [
      'all three',
      { pressure: { norm: 1, side: 1 }, flow: { norm: 1, side: -1 }, forced_flow: { norm: 1, side: 1 } },
      0.4,
      [0.92, 0.6, 0.2, 0.12],
    ],
  ])('%s', (_name, parts, support, expected) => {
    expect(read(parts, support)).toEqual(expected);
  });
});

describe('confidence', () => {
  const read = (fields: Partial<Parameters<typeof confidence>[0]>) =>
    confidence(
      { sourceSupportRatio: 1, margin: 0, sampleTotal: 0, freshnessMs: null, bookStalenessMs: 5_000, evidence: 0, ...fields },
      POLICY_NUMBERS,
    );

  test.each([
    // 1 to 1,000 ms, then (limit − age) / (limit − 1,000); the score is 0.3 + 0.1 × fresh
    [0, 5_000, 1, 0.4],
    [1_000, 5_000, 1, 0.4],
    [1_001, 5_000, 0.99975, 0.399975],
    [2_000, 5_000, 0.75, 0.375],
    [5_000, 5_000, 0, 0.3],
    [5_001, 5_000, 0, 0.3],
    // a venue whose own limit is longer: (11,000 − 6,000) / 10,000
    [6_000, 11_000, 0.5, 0.35],
  ])('a book %d ms old against %d ms is fresh by %d', (freshnessMs, bookStalenessMs, fresh, score) => {
    const { terms, ...rest } = read({ freshnessMs, bookStalenessMs });
    expect([terms.find((term) => term.name === 'fresh_share')?.value, rest.score]).toEqual([fresh, score]);
  });

  test.each([
    // 0.3 + 0.2 × margin / 0.2
    [{ margin: 0.1 }, 0.4],
    [{ margin: 0.2 }, 0.5],
    [{ margin: 0.3 }, 0.5],
    // 0.3 + 0.2 × samples / 180
    [{ sampleTotal: 179 }, 0.498889],
    [{ sampleTotal: 180 }, 0.5],
    [{ sampleTotal: 2_160 }, 0.5],
    // 0.3 + 0.2 × evidence
    [{ evidence: 0.5 }, 0.4],
    [{ evidence: 1 }, 0.5],
    // 0.5 × 0.3
    [{ sourceSupportRatio: 0.5 }, 0.15],
    [{ sourceSupportRatio: 0, margin: 1, sampleTotal: 180, freshnessMs: 0, evidence: 1 }, 0],
  ])('%j is %d', (fields, score) => {
    expect(read(fields).score).toBe(score);
  });

  test.each([
    [0, 'low'],
    [0.399999, 'low'],
    [0.4, 'medium'],
    [0.699999, 'medium'],
    [0.7, 'high'],
    [1, 'high'],
  ])('%d is %s', (score, label) => {
    expect(confidenceLabel(score, POLICY_NUMBERS.confidence)).toBe(label);
  });
});

describe('quality = round(100 × support × (1 − 0.5 × min(1, gap seconds / 60)))', () => {
  test.each([
    [0.85, 0, 85, 'strong'],
    // 84.5 rounds to the even 84, 85.5 to 86
    [0.845, 0, 84, 'usable'],
    [0.855, 0, 86, 'strong'],
    [0.6, 0, 60, 'usable'],
    // 1 / 60 = 0.016667; 60 × (1 − 0.5 × 0.016667) = 59.49999
    [0.6, 1, 59, 'limited'],
    // 100 × 0.8 × (1 − 0.5 × 0.5)
    [0.8, 30, 60, 'usable'],
    [1, 60, 50, 'limited'],
    [1, 61, 50, 'limited'],
    // half-even: 100 × 0.5 × (1 − 0.5 × 0.1) = 47.5 to 48
    [0.5, 6, 48, 'limited'],
    [0, 0, 0, 'limited'],
  ])('support %d, %d s of gaps: %d, %s', (ratio, seconds, score, qualityClass) => {
    expect(quality(ratio, seconds, POLICY_NUMBERS)).toEqual({ score, qualityClass });
  });
});

describe('novelty = 1 − mean Jaccard similarity', () => {
  test.each<[string, readonly string[], readonly (readonly string[])[], number]>([
    ['nothing before', ['a', 'b'], [], 1],
    ['nothing before and no tags', [], [], 1],
    ['the same in another order', ['a', 'b'], [['b', 'a']], 0],
    // 1/3: one shared of three
    ['one of three shared', ['a', 'b'], [['b', 'c']], 0.666667],
    // (1 + 1/2 + 0) / 3 = 0.5
    ['three before', ['a', 'b'], [['a', 'b'], ['a'], ['c']], 0.5],
    ['two empty sets are alike', [], [[], []], 0],
    // (1 + 0) / 2
    ['an empty set and one with tags', [], [[], ['a']], 0.5],
  ])('%s', (_name, tags, earlier, expected) => {
    expect(novelty(tags, earlier)).toBe(expected);
  });
});

describe('diagnosis class at its edges', () => {
  const decision = (margin: number, winner: 'depth_watch' | 'crowding_shift' | 'market_state_watch' = 'depth_watch') =>
    ({ winner, winnerScore: 0.6, runnerUp: 'pressure_building', runnerUpScore: 0.5, margin, candidates: [] }) as const;
  const leaning = composites({ pressure: { norm: 0.5, watched: true } });

  test.each([
    ['contested_context_review', 0.35, decision(0.5), leaning],
    ['active_context_read', 0.349999, decision(0.1), leaning],
    ['competing_state_read', 0.349999, decision(0.099999), leaning],
    ['competing_state_read', 0, decision(0.5), composites({ pressure: { norm: 0.49 } })],
    ['competing_state_read', 0, decision(0.5, 'crowding_shift'), leaning],
    ['active_context_read', 0, decision(0.5, 'crowding_shift'), composites({ crowding: { norm: 0.5, watched: true } })],
    ['competing_state_read', 0, decision(0.5, 'market_state_watch'), leaning],
  ])('%s at a contradiction of %d', (expected, contradictionScore, read, parts) => {
    expect(diagnosisClass(contradictionScore, read, parts, POLICY_NUMBERS)).toBe(expected);
  });
});
