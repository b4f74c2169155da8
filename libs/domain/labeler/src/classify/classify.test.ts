import { POLICY_NUMBERS } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead, type Side } from '../read';
import { norm } from '../thresholds/norm';
import { confidence } from './confidence';
import { contradiction } from './contradiction';
import { classifyEvent } from './event-class';
import { novelty } from './novelty';
import { quality } from './quality';
import { severity } from './severity';
import { diagnosisClass, transitionType } from './transition';

function composite(name: CompositeName, score: number, side: Side): CompositeRead {
  const { watch, elevated } = POLICY_NUMBERS.thresholds[name];
  return { score, norm: norm(score, { watch, elevated }), side, watch, elevated, available: true, terms: [] };
}

/** Composites from signed scores; unnamed ones are 0. */
function composites(scores: Partial<Record<CompositeName, number>>): Record<CompositeName, CompositeRead> {
  const entries = COMPOSITES.map((name) => {
    const value = scores[name] ?? 0;
    return [name, composite(name, Math.abs(value), Math.sign(value) as Side)];
  });
  return Object.fromEntries(entries) as Record<CompositeName, CompositeRead>;
}

describe('event class', () => {
  test.each([
    [
      { pressure: 0.35, flow: 0.6 },
      0,
      'bid_pressure_confirmed_by_buy_flow',
      'flow_confirmed_pressure',
      'book_pressure_and_trade_flow_confirmed',
    ],
    [
      { pressure: -0.35, flow: -0.6 },
      0,
      'ask_pressure_confirmed_by_sell_flow',
      'flow_confirmed_pressure',
      'book_pressure_and_trade_flow_confirmed',
    ],
    [
      { pressure: 0.35, flow: -0.35 },
      2,
      'bid_depth_absorption_against_sell_flow',
      'contra_flow_absorption',
      'sell_flow_absorbed_by_bid_liquidity',
    ],
    [
      { pressure: -0.35, flow: 0.35 },
      2,
      'ask_depth_absorption_against_buy_flow',
      'contra_flow_absorption',
      'buy_flow_absorbed_by_ask_liquidity',
    ],
    // the price gave way: no absorption
    [
      { pressure: 0.35, flow: -0.35 },
      2.000001,
      'visible_depth_pressure_without_trade_confirmation',
      'depth_only_pressure',
      'bid_heavy_depth',
    ],
    [{ pressure: 0.35, flow: -0.6 }, 2.000001, 'trade_flow_leading_visible_book', 'trade_flow_lead', 'aggressive_sell_flow'],
    [{ pressure: 0.34, flow: 0.6 }, 0, 'trade_flow_leading_visible_book', 'trade_flow_lead', 'aggressive_buy_flow'],
    [{ pressure: -0.5, flow: 0.1 }, 0, 'visible_depth_pressure_without_trade_confirmation', 'depth_only_pressure', 'ask_heavy_depth'],
    [{ crowding: 0.4 }, 0, 'funding_oi_crowding_context', 'crowding_context', 'open_interest_context_attached'],
    [{ crowding: 0.39 }, 0, 'balanced_two_sided_context', 'routine_context', 'no_dominant_side'],
  ])('%j after a move of %d bps is %s', (scores, priceMoveBpsAbs, eventClass, eventProfile, direction) => {
    const read = classifyEvent({ winner: 'depth_watch', composites: composites(scores), priceMoveBpsAbs, spreadBps: 0.1 }, POLICY_NUMBERS);
    expect(read).toEqual({ eventClass, eventProfile, direction });
  });

  test('a wide spread lets the price move by two spreads before absorption fails', () => {
    const opposed = { winner: 'depth_watch', composites: composites({ pressure: 0.4, flow: -0.4 }), spreadBps: 3 } as const;
    expect(classifyEvent({ ...opposed, priceMoveBpsAbs: 6 }, POLICY_NUMBERS).eventProfile).toBe('contra_flow_absorption');
    expect(classifyEvent({ ...opposed, priceMoveBpsAbs: 6.1 }, POLICY_NUMBERS).eventProfile).toBe('depth_only_pressure');
  });

  test.each(['insufficient_evidence', 'replay_context_ready'] as const)('with %s nothing current is read', (winner) => {
    const read = classifyEvent(
      { winner, composites: composites({ pressure: 1, flow: 1 }), priceMoveBpsAbs: 0, spreadBps: 0.1 },
      POLICY_NUMBERS,
    );
    expect(read).toEqual({ eventClass: 'retained_context_only', eventProfile: 'retained_context', direction: 'no_current_read' });
  });
});

describe('severity', () => {
  test.each([
    // highest norm 1, one of six at watch: share 0.166667; 0.7 + 0.3 × 0.166667 = 0.75
    [{ pressure: 0.6 }, 0.75, 'high_context', ['pressure']],
    // two of six: 0.7 + 0.3 × 0.333333 = 0.8
    [{ pressure: 0.6, flow: 0.35 }, 0.8, 'high_context', ['pressure', 'flow']],
    // three of six: 0.7 + 0.3 × 0.5 = 0.85
    [{ pressure: 0.6, flow: 0.6, fragility: 0.6 }, 0.85, 'critical_context', ['pressure', 'flow', 'fragility']],
    // norm 0.4 alone under watch: 0.4 × 0.7 = 0.28
    [{ flow: 0.28 }, 0.28, 'routine_context', ['flow']],
    // a norm of 0.75 and one of six: 0.75 × (0.7 + 0.3 × 0.166667)
    [{ fragility: 0.475 }, 0.5625, 'elevated_context', ['fragility']],
    [{}, 0, 'routine_context', []],
  ])('of %j is %d', (scores, score, severityClass, basis) => {
    expect(severity(composites(scores), POLICY_NUMBERS)).toEqual({ score, severityClass, basis });
  });
});

describe('contradiction', () => {
  test('book against flow: 0.6 × min(1, 0.5) = 0.3, and 0.2 × (1 − 0.6) = 0.08', () => {
    expect(contradiction(composites({ pressure: 0.6, flow: -0.35 }), 0.6, POLICY_NUMBERS).score).toBe(0.38);
  });

  test('liquidations against flow add 0.2', () => {
    expect(contradiction(composites({ flow: 0.5, forced_flow: -0.3 }), 1, POLICY_NUMBERS).score).toBe(0.2);
    expect(contradiction(composites({ flow: 0.5, forced_flow: 0.3 }), 1, POLICY_NUMBERS).score).toBe(0);
  });

  test('everything at once is at most 1', () => {
    expect(contradiction(composites({ pressure: 1, flow: -1, forced_flow: 1 }), 0, POLICY_NUMBERS).score).toBe(1);
  });
});

describe('confidence', () => {
  const limit = { bookStalenessMs: 5_000 };

  test.each([
    // 0.6 × (0.4 + 0.3 × 0.5 + 0.2 × 0.5 + 0.1 × 1) = 0.6 × 0.75
    [{ sourceSupportRatio: 0.6, margin: 0.1, sampleTotal: 90, freshnessMs: 1_000 }, 0.45, 'medium'],
    // everything full: 1 × 1
    [{ sourceSupportRatio: 1, margin: 0.4, sampleTotal: 500, freshnessMs: 0 }, 1, 'high'],
    // fresh at 3,000 of 1,000..5,000 is 0.5: 0.6 × (0.4 + 0.05)
    [{ sourceSupportRatio: 0.6, margin: 0, sampleTotal: 0, freshnessMs: 3_000 }, 0.27, 'low'],
    // beyond the limit fresh is 0; 1 × 0.4
    [{ sourceSupportRatio: 1, margin: 0, sampleTotal: 0, freshnessMs: 9_000 }, 0.4, 'medium'],
    [{ sourceSupportRatio: 1, margin: 0.2, sampleTotal: 0, freshnessMs: null }, 0.7, 'high'],
  ])('of %j is %d', (fields, score, label) => {
    expect(confidence({ ...limit, ...fields }, POLICY_NUMBERS)).toMatchObject({ score, label });
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
    expect(quality(ratio, seconds, POLICY_NUMBERS)).toEqual({ score, qualityClass });
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

describe('transition type', () => {
  const same = { eventClass: 'x', eventProfile: 'y', countedTags: ['a', 'b'] };
  const base = { packetsBefore: 6, afterCut: false, stateChanged: false, ...same, previous: same };

  test.each([
    ['lineage_context_pending', { packetsBefore: 5 }],
    ['lineage_context_pending', { afterCut: true, stateChanged: true }],
    ['state_changed', { stateChanged: true, eventClass: 'z' }],
    ['same_state_new_context', { eventClass: 'z' }],
    ['same_state_new_context', { eventProfile: 'z' }],
    ['same_state_new_context', { countedTags: ['a'] }],
    ['state_reaffirmed', { countedTags: ['b', 'a'] }],
  ])('%s when %j', (expected, change) => {
    expect(transitionType({ ...base, ...change }, POLICY_NUMBERS)).toBe(expected);
  });
});

describe('diagnosis class', () => {
  const decision = {
    winner: 'pressure_building',
    winnerScore: 0.6,
    runnerUp: 'depth_watch',
    runnerUpScore: 0.5,
    margin: 0.1,
    candidates: [],
  } as const;

  test('contested comes first, from a contradiction of 0.35', () => {
    expect(diagnosisClass(0.35, decision, composites({ pressure: 0.5 }), POLICY_NUMBERS)).toBe('contested_context_review');
  });

  test('active needs a margin of 0.10 and a threshold crossed by what the winner reads', () => {
    expect(diagnosisClass(0.34, decision, composites({ pressure: 0.35 }), POLICY_NUMBERS)).toBe('active_context_read');
    expect(diagnosisClass(0.34, decision, composites({ fragility: 0.9 }), POLICY_NUMBERS)).toBe('competing_state_read');
    expect(diagnosisClass(0.34, { ...decision, margin: 0.099999 }, composites({ pressure: 0.5 }), POLICY_NUMBERS)).toBe(
      'competing_state_read',
    );
    expect(diagnosisClass(0, { ...decision, winner: 'market_state_watch' }, composites({ pressure: 0.5 }), POLICY_NUMBERS)).toBe(
      'competing_state_read',
    );
  });
});
