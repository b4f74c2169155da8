import type { FactSet } from '../policy/facts';
import { loadPolicy } from '../policy/policy';
import { decideGuidance, type Guidance } from './guidance';

const policy = loadPolicy();

/** A packet that nothing speaks against: every source, a crossed threshold, an active read that is published. */
function guidance(changes: FactSet = {}): Guidance {
  const statuses = {
    book_status: 'resolved',
    trades_status: 'resolved',
    asset_context_status: 'resolved',
    liquidations_status: 'resolved',
    candles_status: 'resolved',
  };
  const facts = {
    ...statuses,
    source_support_ratio: 1,
    crossed_total: 1,
    contradiction_score: 0,
    confidence_label: 'high',
    gap_flags: [],
    severity_class: 'routine_context',
    diagnosis_class: 'active_context_read',
    published_state: 'depth_watch',
    winner: 'depth_watch',
    live_during_calibration: false,
    realized_vol_session: 0.0001,
    transition_type: 'state_reaffirmed',
  };
  return decideGuidance({ ...facts, ...changes }, policy);
}

const REVIEW = 'route_to_review_before_automation';
const WATCHLIST = 'route_to_watchlist_and_replay';

describe('the rule table', () => {
  test.each([
    [1, 'source_resolved'],
    [0.8, 'source_resolved'],
    [0.799999, 'source_partial'],
    [0.4, 'source_partial'],
    [0.399999, 'source_insufficient'],
    [0, 'source_insufficient'],
  ])('source_quality_class at a support of %d is %s', (ratio, expected) => {
    expect(guidance({ source_support_ratio: ratio }).source_quality_class).toBe(expected);
  });

  test.each([
    [1, 0.6, 'source_supported_threshold_read'],
    [12, 1, 'source_supported_threshold_read'],
    [1, 0.599999, 'threshold_read_partial_sources'],
    [0, 1, 'no_threshold_crossed'],
    [0, 0.2, 'no_threshold_crossed'],
  ])('evidence_quality_class with %d crossed at %d is %s', (crossed, ratio, expected) => {
    expect(guidance({ crossed_total: crossed, source_support_ratio: ratio }).evidence_quality_class).toBe(expected);
  });

  test.each<[FactSet, string]>([
    [{}, WATCHLIST],
    [{ contradiction_score: 0.349999 }, WATCHLIST],
    [{ contradiction_score: 0.35 }, REVIEW],
    [{ confidence_label: 'medium' }, WATCHLIST],
    [{ confidence_label: 'low' }, REVIEW],
    [{ gap_flags: ['recording_seam'] }, WATCHLIST],
    ...['book_gap', 'trade_gap', 'context_stale', 'liquidation_proxy_only', 'feed_reconnected', 'late_events'].map(
      (flag): [FactSet, string] => [{ gap_flags: ['recording_seam', flag] }, REVIEW],
    ),
  ])('route_recommendation with %j is %s', (changes, expected) => {
    expect(guidance(changes).route_recommendation).toBe(expected);
  });

  test.each([
    [0.6, 'routing_ready_with_source_family_checks'],
    [0.599999, 'routing_held_for_review'],
  ])('automation_status at a support of %d is %s', (ratio, expected) => {
    expect(guidance({ source_support_ratio: ratio }).automation_status).toBe(expected);
  });

  test.each<[FactSet, readonly string[]]>([
    [{ confidence_label: 'low' }, ['monitor', 'dashboard', 'research', 'review']],
    [{}, ['monitor', 'agent_brief', 'dashboard', 'research']],
    [{ severity_class: 'elevated_context' }, ['monitor', 'agent_brief', 'dashboard', 'research']],
    [{ severity_class: 'high_context' }, ['monitor', 'alert', 'agent_brief', 'dashboard', 'research']],
    [
      { severity_class: 'critical_context', contradiction_score: 0.9 },
      ['monitor', 'alert', 'agent_brief', 'dashboard', 'research', 'review'],
    ],
  ])('workflow_routes with %j are %j', (changes, expected) => {
    expect(guidance(changes).workflow_routes).toEqual(expected);
  });

  test.each<[FactSet]>([[{}], [{ confidence_label: 'low' }], [{ source_support_ratio: 0 }], [{ severity_class: 'critical_context' }]])(
    'blocked_uses with %j always hold the three',
    (changes) => {
      expect(guidance(changes).blocked_uses).toEqual(
        expect.arrayContaining(['trade_execution', 'profitability_claims', 'investment_advice']),
      );
    },
  );

  test.each<[FactSet, boolean]>([
    [{}, true],
    [{ source_support_ratio: 0.5 }, false],
    [{ confidence_label: 'low' }, false],
    [{ crossed_total: 0 }, false],
    [{ diagnosis_class: 'competing_state_read' }, false],
    [{ winner: 'flow_shift_watch' }, false],
  ])('unattended routing with %j: %s', (changes, allowed) => {
    const read = guidance(changes);
    expect([read.allowed_uses.includes('unattended_routing_with_source_checks'), read.blocked_uses.includes('unattended_routing')]).toEqual(
      [allowed, !allowed],
    );
  });

  test.each<[FactSet, readonly string[]]>([
    [{}, []],
    [{ book_status: 'partial', liquidations_status: 'missing' }, ['book', 'liquidations']],
    [{ live_during_calibration: true, realized_vol_session: null }, ['calibrated_thresholds', 'session_volatility']],
    [{ transition_type: 'lineage_context_pending' }, ['lineage_context']],
  ])('missing_routing_inputs with %j are %j', (changes, expected) => {
    expect(guidance(changes).missing_routing_inputs).toEqual(expected);
  });
});
