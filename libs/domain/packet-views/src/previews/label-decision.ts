import { type Packet, COMPOSITES, type CompositeName } from '@market-state/labeler';
import type { Definitions } from '../definitions';
import { thresholdsOf } from '../scores/threshold-views';

const TAG_FAMILIES: Readonly<Record<CompositeName, string>> = {
  pressure: 'pressure',
  flow: 'flow',
  fragility: 'queue',
  crowding: 'crowding',
  forced_flow: 'forced_flow',
  regime: 'regime',
};

function tagOf(packet: Packet, family: string): string | null {
  return packet.tags.find((tag) => tag.startsWith(`${family}:`)) ?? null;
}

/** Per input class: its score, thresholds and tag in this packet. `evidenceRoute` links to the packet's evidence. */
export function featureReads(packet: Packet, definitions: Definitions, evidenceRoute: string | null) {
  return COMPOSITES.map((name, index) => {
    const [family = 'book'] = definitions.composites[name].families;
    const thresholds = thresholdsOf(packet, name, definitions);
    return {
      trace_step: index + 1,
      input_class: family,
      derived_read: definitions.label('drivers', name),
      derived_value: packet.state_decision_trace.composites[name].score,
      packet_field: `state_decision_trace.composites.${name}.score`,
      resulting_tag: tagOf(packet, TAG_FAMILIES[name]),
      threshold_policy: thresholds.map(({ feature_id, threshold }) => `${feature_id} from ${threshold}`).join(', '),
      threshold_source: thresholds[0]?.source ?? 'policy_default',
      level: packet.state_decision_trace.composites[name].level,
      formula: definitions.composites[name].formula,
      evidence_route: evidenceRoute,
    };
  });
}

export function labelDecision(packet: Packet, definitions: Definitions) {
  const { winner_state, winner_score, runner_up_state, runner_up_score, state_margin } = packet.state_diagnosis;
  const { rule, winner_streak } = packet.state_decision_trace.publication;
  return {
    published_state: packet.state,
    published_state_label: packet.state_label,
    winner_state,
    winner_score,
    runner_up_state,
    runner_up_score,
    state_margin,
    publication_rule: rule,
    publication_meaning: definitions.meaning('publication_rules', rule),
    winner_streak,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    severity_class: packet.event_severity.severity_class,
    severity_score: packet.event_severity.score,
  };
}

/** Inputs of a packet's confidence, sufficient to recompute it. */
export function confidenceLineage(packet: Packet, { numbers }: Definitions) {
  const { base, margin_weight, sample_weight, fresh_weight, medium_from, high_from } = numbers.confidence;
  const { label, score, terms } = packet.confidence;
  return {
    confidence_policy_version: packet.confidence_policy_version,
    label,
    score,
    formula:
      `source_support_ratio × (${base} + ${margin_weight} × margin_share + ${sample_weight} × sample_share + ` +
      `${fresh_weight} × fresh_share)`,
    terms: Object.entries(terms).map(([term, value]) => ({ term, value })),
    labels: `low under ${medium_from}, medium from ${medium_from}, high from ${high_from}`,
    source_quality_class: packet.source_quality_class,
    calibration: packet.calibration_context,
  };
}

export function packetInput(packet: Packet, definitions: Definitions) {
  const { resolved_families, partial_families } = packet.state_diagnosis.source_support;
  const { window_event_total, window_event_totals: totals } = packet.packet_lineage_summary;
  const { venue, source_kind, window_start_utc, window_end_utc, window_seconds } = packet.scope;
  return {
    symbol: packet.symbol,
    venue,
    source_kind,
    source_kind_meaning: definitions.meaning('source_kinds', source_kind),
    window_start_utc,
    window_end_utc,
    window_seconds,
    packet_time_policy: packet.scope.packet_time_policy,
    input_classes: [...resolved_families, ...partial_families],
    input_classes_missing: packet.source_resolution.missing_families,
    window_event_total,
    window_event_totals: { book: totals.book, trades: totals.trade, context: totals.context, liquidations: totals.liquidation },
    mid_price: packet.reference_prices.mid_price,
    book_age_ms: packet.driver_strengths.freshness_ms,
  };
}
