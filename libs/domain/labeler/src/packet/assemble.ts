import type { FactSet } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { PacketRead } from '../read';
import { assertTaxonomy } from './assert-taxonomy';
import { packetChanged } from './changed';
import { replayCursor } from './cursor';
import { stateDecisionTrace } from './decision-trace';
import { stateHierarchy, taxonomyBindings } from './hierarchy';
import { computeLanes } from './lanes';
import { packetLineageSummary, packetSophistication } from './lineage';
import { marketFacts } from './market-facts';
import type { Packet } from './packet';
import { packetFacts } from './packet-facts';
import { reasonDetails } from './reasons';
import { routeRefs, routesOf } from './routes';
import { automationReadiness, laneEnrichmentBoundary, routeGuidance } from './routing';
import { calibrationContext, eventSeverity, packetConfidence, packetQuality } from './scores';
import { packetScope } from './scope';
import { packetSessionState } from './session-state';
import { sourceResolution, sourceStatus } from './sources';
import { stateDiagnosis } from './state-diagnosis';
import { clientReadout, clientReasonSummary } from './summary';
import { utc } from './time';

/**
 * The packet of a read, under a policy: the same read and policy give the same packet. `market`: the market facts of the read, for a
 * caller that has them; the packet's own are added to them.
 * @throws UnknownTermError when it would hold a word that the taxonomy lacks.
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
      cursor: replayCursor(read.symbol, read.windowEndMs),
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
