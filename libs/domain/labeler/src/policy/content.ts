import type { Condition, FactDeclaration } from './facts';
import type { CompositeName } from '../names';
import type { PolicyNumbers } from './numbers';

export interface PolicyContent {
  readonly facts: { readonly facts: readonly FactDeclaration[] };
  readonly guidance: GuidanceFile;
  readonly lanes: LanesFile;
  readonly numbers: PolicyNumbers;
  readonly reasons: ReasonsFile;
  readonly routes: RoutesFile;
  readonly tags: TagsFile;
  readonly taxonomy: TaxonomyFile;
  readonly texts: TextsFile;
  readonly versions: VersionsFile;
}

export interface ValueRule {
  readonly value: string;
  readonly when: Condition;
}

export interface TextRule {
  readonly when: Condition;
  readonly text: string;
}

/** The first four use the first matching value, the others all. */
export type GuidanceFile = Readonly<Record<GuidanceField, readonly ValueRule[]>>;
export const GUIDANCE_FIELDS = [
  'source_quality_class',
  'evidence_quality_class',
  'route_recommendation',
  'automation_status',
  'workflow_routes',
  'allowed_uses',
  'blocked_uses',
  'missing_routing_inputs',
] as const;
export type GuidanceField = (typeof GUIDANCE_FIELDS)[number];

interface TagValueEntry extends ValueRule {
  readonly meaning: string;
}

/** `value_of`: the tag's value is that word fact. Otherwise the first, or every, matching value. */
export type TagGroupEntry =
  | { readonly family: string; readonly horizon?: string; readonly value_of: string }
  | { readonly family: string; readonly horizon?: string; readonly pick: 'first' | 'every'; readonly values: readonly TagValueEntry[] };

interface TagsFile {
  /** Families ignored by novelty and by "tags changed". */
  readonly not_counted: readonly string[];
  readonly groups: readonly TagGroupEntry[];
}

export type Stance = 'supports' | 'weighs_against' | 'context';

interface ReasonEntry {
  readonly reason_id: string;
  readonly family: string;
  readonly lane: string;
  readonly stance: Stance;
  readonly when: Condition;
  readonly claim: string;
  readonly features: readonly string[];
  readonly evidence: readonly string[];
}

interface ReasonsFile {
  readonly reasons: readonly ReasonEntry[];
  /** Reason used if none weighs against the read. */
  readonly nothing_against: ReasonEntry;
}

export interface LaneEntry {
  readonly lane_id: string;
  readonly horizon: string;
  readonly latency_budget_ms: number;
  readonly blocking_latest_route: boolean;
  readonly staleness_policy: string;
  /** Numbers omitted while a composite has no source: absent is not zero. */
  readonly left_out_without: Readonly<Record<string, CompositeName>>;
  /** Numbers for which 0 means unknown. */
  readonly left_out_when_zero: readonly string[];
  readonly tags: readonly TagGroupEntry[];
  readonly claims: readonly TextRule[];
}

export interface LanesFile {
  readonly producer_lane: string;
  readonly state_lane: string;
  readonly lanes: readonly LaneEntry[];
}

export interface RoutesFile {
  /**
   * Path templates by name; `{symbol}`, `{event_id}`, `{cursor}`, `{window_start_ms}` and `{window_end_ms}` are
   * substituted.
   */
  readonly routes: Readonly<Record<string, string>>;
  readonly route_refs: readonly string[];
  readonly recommended: Readonly<Record<string, string>>;
}

export interface TaxonomyTerm {
  readonly value: string;
  readonly label: string;
  /** Term one level up: an event class's profile, a state's or tag family's feature family. */
  readonly binding?: string;
  readonly meaning: string;
}
export type TaxonomyFile = Readonly<Record<string, readonly TaxonomyTerm[]>>;

export const TEXT_FIELDS = [
  'headline',
  'next_step',
  'readout',
  'support',
  'why_now',
  'what_changed',
  'invalidation',
  'next_check',
  'buyer_use',
  'route_reason',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export type TextsFile = Readonly<Record<TextField, readonly TextRule[]>> & {
  readonly claim_boundary: 'not_signal_not_advice_not_execution_not_performance';
  readonly trade_instruction: 'none';
  readonly market_outcome_claim: 'none';
};

type VersionField =
  | 'calibration_version'
  | 'confidence_policy_version'
  | 'labeling_policy_version'
  | 'reason_template_version'
  | 'taxonomy_version'
  | 'compute_lane_policy_version'
  | 'diagnosis_version'
  | 'trace_version'
  | 'readiness_version';
export type VersionsFile = Readonly<Record<VersionField, string>> & { readonly labeling_policy_edition: number };
