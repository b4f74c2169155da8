import type { TextsFile, VersionsFile } from '../policy/content';
import type { Features } from '../names';
import type { StateName, TransitionType, PacketRead, LaneRead } from '../read';
import { type PacketChanged, packetChanged, tagChange, type PacketLineageSummary, packetLineageSummary } from './changed';
import { type StateDecisionTrace, stateDecisionTrace } from './decision-trace';
import {
  type StateHierarchy,
  type TaxonomyBindings,
  stateHierarchy,
  taxonomyBindings,
  type PacketSessionState,
  type StateDiagnosis,
  packetSessionState,
  stateDiagnosis,
} from './state-sections';
import { type ComputeLane, computeLanes, type LaneEnrichmentBoundary, laneEnrichmentBoundary } from './lanes';
import {
  type ReasonDetail,
  type ClientReadout,
  type ClientReasonSummary,
  reasonDetails,
  clientReadout,
  clientReasonSummary,
  type AutomationReadiness,
  type RouteGuidance,
  replayCursor,
  routeRefs,
  routesOf,
  automationReadiness,
  routeGuidance,
  decideGuidance,
  type Guidance,
} from './guidance';
import {
  type CalibrationContext,
  type EventSeverity,
  type PacketConfidence,
  type PacketQuality,
  calibrationContext,
  eventSeverity,
  packetConfidence,
  packetQuality,
  type PacketSophistication,
  packetSophistication,
} from './scores';
import {
  type PacketReplay,
  type PacketScope,
  type ReferencePrices,
  type SourceResolution,
  type SourceStatusByFamily,
  packetScope,
  utc,
  sourceResolution,
  sourceStatus,
} from './sources';
import type { FactSet, Facts } from '../policy/facts';
import type { Policy } from '../policy/policy';
import { marketFacts } from './market-facts';
import { UnknownTermError } from '../policy/taxonomy';

/**
 * `market_state.v1` packet: derived market context at a window's end. Contains no wall-clock value and none of its own
 * digests; `packet_digest` covers its RFC 8785 JSON. Scores and norms are 0 to 1; null means no source (absent is not
 * zero).
 */
export interface Packet extends VersionsFile {
  readonly packet_type: 'market_state.v1';
  readonly packet_id: string;
  readonly event_id: string;
  readonly symbol: string;
  readonly ts: string;
  readonly scope: PacketScope;
  readonly reference_prices: ReferencePrices;
  /** Published state; the raw winner is in `state_diagnosis`. */
  readonly state: StateName;
  readonly state_label: string;
  readonly state_age_packets: number;
  readonly state_persistence_seconds: number;
  readonly transition_type: TransitionType;
  /** Null in the first 29 packets. */
  readonly session_state: PacketSessionState | null;
  readonly event_class: string;
  readonly event_profile: string;
  readonly market_read_direction: string;
  readonly event_severity: EventSeverity;
  readonly novelty_score: number;
  readonly contradiction_score: number;
  readonly confidence: PacketConfidence;
  readonly source_quality_class: string;
  readonly packet_producer_lane: string;
  readonly model_assisted: false;
  readonly tags: readonly string[];
  readonly reasons: readonly string[];
  readonly reason_details: readonly ReasonDetail[];
  readonly changed: PacketChanged;
  readonly client_reason_summary: ClientReasonSummary;
  readonly client_readout: ClientReadout;
  readonly workflow_routes: readonly string[];
  readonly replay: PacketReplay;
  readonly route_guidance: RouteGuidance;
  readonly route_refs: Readonly<Record<string, string>>;
  /** Null if their source family is missing (see `source_status`). */
  readonly driver_strengths: Features;
  readonly packet_lineage_summary: PacketLineageSummary;
  readonly packet_sophistication: PacketSophistication;
  readonly state_hierarchy: StateHierarchy;
  readonly taxonomy_bindings: TaxonomyBindings;
  readonly automation_readiness: AutomationReadiness;
  readonly calibration_context: CalibrationContext;
  readonly packet_quality: PacketQuality;
  readonly state_decision_trace: StateDecisionTrace;
  readonly state_diagnosis: StateDiagnosis;
  readonly compute_lanes: readonly ComputeLane[];
  readonly lane_enrichment_boundary: LaneEnrichmentBoundary;
  readonly source_status: SourceStatusByFamily;
  readonly source_resolution: SourceResolution;
  readonly policy_digest: string;
  readonly input_digest: string;
  /** 64 zeros in the first packet of the chain. */
  readonly previous_lineage_digest: string;
  readonly claim_boundary: TextsFile['claim_boundary'];
}

function assertTaxonomy(packet: Packet, policy: Policy): void {
  for (const [kind, values] of words(packet)) for (const value of values) policy.taxonomy.term(kind, value);
  for (const tag of packet.tags) if (!policy.tags.possible.has(tag)) throw new UnknownTermError('tags', tag);
  for (const lane of packet.compute_lanes) {
    for (const tag of lane.tags) policy.taxonomy.term('tag_families', tag.slice(0, tag.indexOf(':')));
  }
}

function words(packet: Packet): readonly (readonly [string, readonly string[]])[] {
  const { state_diagnosis: diagnosis, state_decision_trace: trace } = packet;
  return [
    [
      'states',
      [packet.state, diagnosis.winner_state, diagnosis.runner_up_state, ...trace.candidate_states.map((candidate) => candidate.state)],
    ],
    ['states', packet.compute_lanes.map((lane) => lane.state)],
    ['event_classes', [packet.event_class]],
    ['event_profiles', [packet.event_profile]],
    ['directions', [packet.market_read_direction]],
    ['severity_classes', [packet.event_severity.severity_class]],
    ['diagnosis_classes', [diagnosis.diagnosis_class]],
    ['transition_types', [packet.transition_type]],
    ['confidence_labels', [packet.confidence.label, ...packet.compute_lanes.map((lane) => lane.confidence.label)]],
    ['quality_classes', [packet.packet_quality.quality_class]],
    ['source_quality_classes', [packet.source_quality_class]],
    ['evidence_quality_classes', [diagnosis.evidence_quality_class]],
    ['route_recommendations', [diagnosis.route_recommendation]],
    ['automation_statuses', [diagnosis.automation_status]],
    ['workflow_routes', packet.workflow_routes],
    ['gap_flags', packet.packet_quality.gap_flags],
    ['source_families', Object.keys(packet.source_status)],
    ['source_statuses', Object.values(packet.source_status).map((source) => source.status)],
    ['source_kinds', [packet.scope.source_kind]],
    ['drivers', [packet.state_hierarchy.driver, ...packet.event_severity.basis]],
    ['threshold_sources', [packet.calibration_context.threshold_source]],
    ['rejection_reasons', trace.rejected_states.map((state) => state.reason)],
    ['publication_rules', [trace.publication.rule]],
    ['reason_families', packet.reason_details.map((reason) => reason.reason_family)],
    ['tag_families', Object.keys(packet.taxonomy_bindings.tag_families)],
  ];
}

interface PacketFacts {
  readonly facts: Facts;
  readonly guidance: Guidance;
}

export function packetFacts(read: PacketRead, policy: Policy, market: FactSet): PacketFacts {
  const facts = Object.assign(
    market,
    chainFacts(read, policy),
    laneFacts('short_window', read.lanes.shortWindow, read),
    laneFacts('session_regime', read.lanes.sessionRegime, read),
    laneFacts('historical_replay', read.lanes.historicalReplay, read),
    laneFacts('event_lineage', read.lanes.eventLineage, read),
  );
  return { facts, guidance: decideGuidance(facts, policy) };
}

function chainFacts(read: PacketRead, policy: Policy): Facts {
  const { added, removed } = tagChange(read, policy);
  return {
    novelty_score: read.novelty,
    transition_type: read.transitionType,
    diagnosis_class: read.diagnosisClass,
    tags_added: added,
    tags_removed: removed,
    packets_before: read.lineage.packetsBefore,
  };
}

function laneFacts(laneId: string, lane: LaneRead | null, read: PacketRead): Facts {
  return {
    [`${laneId}_state`]: lane?.state ?? null,
    [`${laneId}_state_share`]: lane?.stateShare ?? null,
    [`${laneId}_sample_total`]: lane?.sampleTotal ?? null,
    [`${laneId}_freshness_ms`]: lane === null ? null : read.windowEndMs - lane.asOfMs,
  };
}

/**
 * Assembles a packet; deterministic for a given read and policy. `market`: the read's market facts if already computed;
 * packet facts are added.
 * @throws UnknownTermError for a word missing from the taxonomy
 */
export function assemblePacket(read: PacketRead, policy: Policy, market: FactSet = marketFacts(read, policy)): Packet {
  const { facts, guidance } = packetFacts(read, policy, market);
  const routeOf = routesOf(read, policy);
  const reasons = reasonDetails(facts, routeOf, policy);
  const scope = packetScope(read, policy);
  const packet: Packet = {
    packet_type: 'market_state.v1',
    packet_id: read.lineage.packetId,
    event_id: read.lineage.eventId,
    symbol: read.symbol,
    ts: utc(read.windowEndMs),
    scope,
    reference_prices: { mid_price: read.mid, best_bid: read.bestBid, best_ask: read.bestAsk },
    state: read.published.state,
    state_label: policy.taxonomy.term('states', read.published.state).label,
    state_age_packets: read.published.agePackets,
    state_persistence_seconds: read.published.persistenceSeconds,
    transition_type: read.transitionType,
    session_state: packetSessionState(read),
    event_class: read.eventClass,
    event_profile: read.eventProfile,
    market_read_direction: read.direction,
    event_severity: eventSeverity(read, policy),
    novelty_score: read.novelty,
    contradiction_score: read.contradiction.score,
    confidence: packetConfidence(read),
    source_quality_class: guidance.source_quality_class,
    packet_producer_lane: policy.producerLane,
    model_assisted: false,
    tags: read.tags,
    reasons: reasons.map((reason) => reason.reason_id),
    reason_details: reasons,
    changed: packetChanged(read, policy),
    client_reason_summary: clientReasonSummary(facts, reasons, policy),
    client_readout: clientReadout(facts, policy),
    workflow_routes: guidance.workflow_routes,
    replay: {
      cursor: replayCursor(read.market, read.windowEndMs),
      status: 'ready',
    },
    route_guidance: routeGuidance(facts, guidance, routeOf, policy),
    route_refs: routeRefs(routeOf, policy),
    driver_strengths: read.features,
    packet_lineage_summary: packetLineageSummary(read),
    packet_sophistication: packetSophistication(read),
    state_hierarchy: stateHierarchy(read, facts, policy),
    taxonomy_bindings: taxonomyBindings(read, policy),
    automation_readiness: automationReadiness(guidance, policy),
    calibration_context: calibrationContext(read, policy),
    packet_quality: packetQuality(read),
    state_decision_trace: stateDecisionTrace(read, policy),
    state_diagnosis: stateDiagnosis(read, facts, guidance, policy),
    compute_lanes: computeLanes(read, policy),
    lane_enrichment_boundary: laneEnrichmentBoundary(read, policy),
    source_status: sourceStatus(read, policy),
    source_resolution: sourceResolution(read),
    policy_digest: read.lineage.policyDigest,
    input_digest: read.lineage.inputDigest,
    previous_lineage_digest: read.lineage.previousLineageDigest,
    claim_boundary: policy.literals.claim_boundary,
    ...policy.versions,
  };
  assertTaxonomy(packet, policy);
  return packet;
}
