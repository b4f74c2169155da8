import type { TextsFile, VersionsFile } from '../policy/content';
import type { Features } from '../feature-keys';
import type { StateName, TransitionType } from '../read';
import type { PacketChanged } from './changed';
import type { StateDecisionTrace } from './decision-trace';
import type { StateHierarchy, TaxonomyBindings } from './hierarchy';
import type { ComputeLane } from './lanes';
import type { PacketLineageSummary, PacketSophistication } from './lineage';
import type { ReasonDetail, ClientReadout, ClientReasonSummary } from './summary';
import type { AutomationReadiness, LaneEnrichmentBoundary, RouteGuidance } from './routing';
import type { CalibrationContext, EventSeverity, PacketConfidence, PacketQuality } from './scores';
import type { PacketReplay, PacketScope, ReferencePrices, SourceResolution, SourceStatusByFamily } from './sources';
import type { PacketSessionState, StateDiagnosis } from './state-diagnosis';

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
