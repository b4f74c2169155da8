import { MARKET_FORM } from '@market-state/market-data';
import type { GuidanceField, TextsFile, Stance } from '../policy/content';
import type { FactSet, Facts } from '../policy/facts';
import type { Policy } from '../policy/policy';
import { type PacketRead, STATES } from '../read';
import type { CompiledReason } from '../policy/rules';
import { COMPOSITES } from '../names';

export interface Guidance {
  readonly source_quality_class: string;
  readonly evidence_quality_class: string;
  readonly route_recommendation: string;
  readonly automation_status: string;
  readonly workflow_routes: readonly string[];
  readonly allowed_uses: readonly string[];
  readonly blocked_uses: readonly string[];
  readonly missing_routing_inputs: readonly string[];
}

/**
 * Adds the four single values to `facts` first, because the lists may read them.
 * @throws Error if a table has no matching value
 */
export function decideGuidance(facts: FactSet, policy: Policy): Guidance {
  const first = (field: GuidanceField) => {
    const value = policy.guidance[field].first(facts);
    if (value === null) throw new Error(`no value of ${field} matches`);
    return value;
  };
  const decided = {
    source_quality_class: first('source_quality_class'),
    evidence_quality_class: first('evidence_quality_class'),
    route_recommendation: first('route_recommendation'),
    automation_status: first('automation_status'),
  };
  Object.assign(facts, decided);
  return {
    ...decided,
    workflow_routes: policy.guidance.workflow_routes.every(facts),
    allowed_uses: policy.guidance.allowed_uses.every(facts),
    blocked_uses: policy.guidance.blocked_uses.every(facts),
    missing_routing_inputs: policy.guidance.missing_routing_inputs.every(facts),
  };
}

const CURSOR = /^rc1\.(.+)\.(\d{1,15})$/;

/** Replay cursor of a packet: `rc1.<market>.<T in epoch ms>`. */
export function replayCursor(market: string, windowEndMs: number): string {
  return `rc1.${market}.${windowEndMs}`;
}

/** Null if malformed. */
export function parseReplayCursor(cursor: string): { readonly market: string; readonly windowEndMs: number } | null {
  const [, market = '', windowEnd] = CURSOR.exec(cursor) ?? [];
  return MARKET_FORM.test(market) ? { market, windowEndMs: Number(windowEnd) } : null;
}

/** Resolves a route of policy/routes.json for one packet. */
type RouteOf = (name: string) => string;

export function routesOf(read: PacketRead, policy: Policy): RouteOf {
  const parameters: Readonly<Record<string, string>> = {
    symbol: read.market,
    event_id: read.lineage.eventId,
    cursor: replayCursor(read.market, read.windowEndMs),
    window_start_ms: String(read.windowEndMs - policy.numbers.windows.packet_interval_ms + 1),
    window_end_ms: String(read.windowEndMs + 1),
  };
  return (name) => {
    const path = policy.routes.routes[name];
    if (path === undefined) throw new Error(`the policy has no route "${name}"`);
    return path.replace(/\{([a-z_]+)\}/g, (_, parameter: string) => encodeURIComponent(parameters[parameter] ?? ''));
  };
}

export function routeRefs(routeOf: RouteOf, policy: Policy): Readonly<Record<string, string>> {
  return Object.fromEntries(policy.routes.route_refs.map((name) => [name, routeOf(name)]));
}

export interface AutomationReadiness {
  readonly allowed_uses: readonly string[];
  readonly blocked_uses: readonly string[];
  readonly claim_boundary: TextsFile['claim_boundary'];
  readonly readiness_version: string;
  readonly status: string;
}

export interface RouteGuidance {
  readonly recommended_route: string;
  readonly route_recommendation: string;
  readonly automation_status: string;
  readonly allowed_uses: readonly string[];
  readonly missing_routing_inputs: readonly string[];
  readonly route_reason: string;
}

export function automationReadiness(guidance: Guidance, policy: Policy): AutomationReadiness {
  return {
    allowed_uses: guidance.allowed_uses,
    blocked_uses: guidance.blocked_uses,
    claim_boundary: policy.literals.claim_boundary,
    readiness_version: policy.versions.readiness_version,
    status: guidance.automation_status,
  };
}

export function routeGuidance(facts: Facts, guidance: Guidance, routeOf: RouteOf, policy: Policy): RouteGuidance {
  const { route_recommendation: recommendation } = guidance;
  return {
    recommended_route: routeOf(policy.routes.recommended[recommendation] ?? recommendation),
    route_recommendation: recommendation,
    automation_status: guidance.automation_status,
    allowed_uses: guidance.allowed_uses,
    missing_routing_inputs: guidance.missing_routing_inputs,
    route_reason: policy.texts.route_reason.first(facts),
  };
}

export interface ReasonDetail {
  readonly reason_id: string;
  readonly reason_family: string;
  readonly compute_lane: string;
  readonly horizon: string;
  readonly stance: Stance;
  readonly claim: string;
  readonly supporting_features: readonly string[];
  readonly evidence_routes: readonly string[];
}

/** Reasons that hold and whose facts exist, in policy order; the final one only if none weighs against the read. */
export function reasonDetails(facts: Facts, routeOf: RouteOf, policy: Policy): readonly ReasonDetail[] {
  const details = policy.reasons.flatMap((reason) => {
    const claim = reason.test(facts) ? reason.claim.render(facts) : null;
    if (claim === null) return [];
    return [
      {
        reason_id: reason.reasonId,
        reason_family: reason.family,
        compute_lane: reason.lane,
        horizon: reason.horizon,
        stance: stanceOf(reason, facts, policy),
        claim,
        supporting_features: reason.features,
        evidence_routes: reason.evidence.map(routeOf),
      },
    ];
  });
  return details.some(({ stance }) => stance === 'weighs_against') ? details.slice(0, -1) : details;
}

function counterevidence(reasons: readonly ReasonDetail[]): readonly string[] {
  const against = reasons.filter(({ stance }) => stance === 'weighs_against');
  return (against.length > 0 ? against : reasons.slice(-1)).map(({ reason_id: id }) => id);
}

/** A composite not read by the raw winner's state is demoted to context. */
function stanceOf({ stance, family }: CompiledReason, facts: Facts, policy: Policy): Stance {
  const composite = COMPOSITES.find((name) => name === family);
  const winner = STATES.find((state) => state === facts['winner']);
  if (stance !== 'supports' || composite === undefined || winner === undefined) return stance;
  const { state_composites: composites } = policy.numbers;
  const readByAny = STATES.some((state) => composites[state].includes(composite));
  return readByAny && !composites[winner].includes(composite) ? 'context' : 'supports';
}

export interface ClientReasonSummary {
  readonly what_changed: string;
  readonly why_now: string;
  /** Ids of `reason_details`; never empty. */
  readonly counterevidence: readonly string[];
  readonly invalidation_conditions: readonly string[];
  readonly next_check: string;
  readonly claim_boundary: TextsFile['claim_boundary'];
}

export function clientReasonSummary(facts: Facts, reasons: readonly ReasonDetail[], policy: Policy): ClientReasonSummary {
  return {
    what_changed: policy.texts.what_changed.every(facts).join(' '),
    why_now: policy.texts.why_now.first(facts),
    counterevidence: counterevidence(reasons),
    invalidation_conditions: policy.texts.invalidation.every(facts),
    next_check: policy.texts.next_check.first(facts),
    claim_boundary: policy.literals.claim_boundary,
  };
}

export interface ClientReadout {
  readonly headline: string;
  readonly read: string;
  readonly support: string;
  readonly next_step: string;
}

export function clientReadout(facts: Facts, policy: Policy): ClientReadout {
  return {
    headline: policy.texts.headline.first(facts),
    read: policy.texts.readout.first(facts),
    support: policy.texts.support.first(facts),
    next_step: policy.texts.next_step.first(facts),
  };
}
