import type { Facts } from '../policy/facts';
import type { Policy } from '../policy/policy';
import type { PacketRead, StateName, DiagnosisClass, SeverityClass, TransitionType, MarketRead } from '../read';
import type { CompositeName } from '../names';
import { driverOf } from './market-facts';
import type { TextsFile } from '../policy/content';
import type { Guidance } from './guidance';
import { sourceSupport, type SourceSupport } from './sources';
import { crossedThresholds, type CrossedThreshold } from './decision-trace';

export interface StateHierarchy {
  readonly top_level_state: StateName;
  readonly event_class: string;
  readonly event_profile: string;
  readonly driver: CompositeName | 'none';
  readonly side_context: {
    /** bid, ask or none. */
    readonly book_side: string;
    /** buy, sell or none. */
    readonly flow_side: string;
    /** same_side, opposite_sides or one_sided. */
    readonly book_and_flow: string;
  };
  readonly compute_horizon: string;
  readonly producer_lane: string;
}

export function stateHierarchy(read: PacketRead, facts: Facts, policy: Policy): StateHierarchy {
  const lane = policy.lanes.find(({ entry }) => entry.lane_id === policy.stateLane);
  return {
    top_level_state: read.published.state,
    event_class: read.eventClass,
    event_profile: read.eventProfile,
    driver: driverOf(read).name,
    side_context: {
      book_side: String(facts['pressure_side']),
      flow_side: String(facts['flow_side']),
      book_and_flow: String(facts['book_and_flow']),
    },
    compute_horizon: lane?.entry.horizon ?? '',
    producer_lane: policy.producerLane,
  };
}

interface TermBinding {
  readonly term: string;
  readonly label: string;
  readonly bound_to?: string;
}

export interface TaxonomyBindings {
  readonly taxonomy_version: string;
  readonly state: TermBinding;
  readonly event_class: TermBinding;
  readonly event_profile: TermBinding;
  readonly tag_families: Readonly<Record<string, string>>;
}

export function taxonomyBindings(read: PacketRead, policy: Policy): TaxonomyBindings {
  const families = [...new Set(read.tags.map((tag) => tag.slice(0, tag.indexOf(':'))))];
  return {
    taxonomy_version: policy.versions.taxonomy_version,
    state: binding('states', read.published.state, policy),
    event_class: binding('event_classes', read.eventClass, policy),
    event_profile: binding('event_profiles', read.eventProfile, policy),
    tag_families: Object.fromEntries(families.map((family) => [family, policy.taxonomy.term('tag_families', family).binding ?? ''])),
  };
}

function binding(kind: string, value: string, policy: Policy): TermBinding {
  const term = policy.taxonomy.term(kind, value);
  return {
    term: `${kind}/${value}`,
    label: term.label,
    ...(term.binding === undefined ? {} : { bound_to: term.binding }),
  };
}

export interface StateDiagnosis {
  readonly diagnosis_version: string;
  readonly diagnosis_class: DiagnosisClass;
  readonly winner_state: StateName;
  readonly winner_score: number;
  readonly runner_up_state: StateName;
  readonly runner_up_score: number;
  readonly state_margin: number;
  readonly crossed_thresholds: readonly CrossedThreshold[];
  readonly evidence_quality_class: string;
  readonly source_support: SourceSupport;
  readonly severity_class: SeverityClass;
  readonly severity_score: number;
  readonly novelty_score: number;
  readonly contradiction_score: number;
  readonly state_age_packets: number;
  readonly state_persistence_seconds: number;
  readonly transition_type: TransitionType;
  readonly route_recommendation: string;
  readonly automation_status: string;
  readonly buyer_use: string;
  readonly claim_boundary: TextsFile['claim_boundary'];
}

export function stateDiagnosis(read: PacketRead, facts: Facts, guidance: Guidance, policy: Policy): StateDiagnosis {
  const { decision, published } = read;
  return {
    diagnosis_version: policy.versions.diagnosis_version,
    diagnosis_class: read.diagnosisClass,
    winner_state: decision.winner,
    winner_score: decision.winnerScore,
    runner_up_state: decision.runnerUp,
    runner_up_score: decision.runnerUpScore,
    state_margin: decision.margin,
    crossed_thresholds: crossedThresholds(read),
    evidence_quality_class: guidance.evidence_quality_class,
    source_support: sourceSupport(read),
    severity_class: read.severity.severityClass,
    severity_score: read.severity.score,
    novelty_score: read.novelty,
    contradiction_score: read.contradiction.score,
    state_age_packets: published.agePackets,
    state_persistence_seconds: published.persistenceSeconds,
    transition_type: read.transitionType,
    route_recommendation: guidance.route_recommendation,
    automation_status: guidance.automation_status,
    buyer_use: policy.texts.buyer_use.first(facts),
    claim_boundary: policy.literals.claim_boundary,
  };
}

/** Most frequent published state of the last 90 packets. Shares are 0 to 1. */
export interface PacketSessionState {
  readonly state: StateName;
  readonly share: number;
  readonly packet_total: number;
  readonly age_packets: number;
  /** Most frequent other state; null, like its share, if no other was published. */
  readonly runner_up: StateName | null;
  readonly runner_up_share: number | null;
}

export function packetSessionState({ sessionState }: MarketRead): PacketSessionState | null {
  return (
    sessionState && {
      state: sessionState.state,
      share: sessionState.share,
      packet_total: sessionState.packetTotal,
      age_packets: sessionState.agePackets,
      runner_up: sessionState.runnerUp,
      runner_up_share: sessionState.runnerUpShare,
    }
  );
}
