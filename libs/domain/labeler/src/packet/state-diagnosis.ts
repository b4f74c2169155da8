import type { TextsFile } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { DiagnosisClass, PacketRead, SeverityClass, StateName, TransitionType, MarketRead } from '../read';
import type { Guidance } from './guidance';
import { sourceSupport, type SourceSupport } from './sources';
import { crossedThresholds, type CrossedThreshold } from './decision-trace';

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
