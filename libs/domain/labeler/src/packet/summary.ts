import type { TextsFile, Stance } from '../policy/content';
import type { Facts } from '../policy/facts';
import type { Policy } from '../policy/policy';
import type { CompiledReason } from '../policy/rules';
import { STATES } from '../read';
import { COMPOSITES } from '../names';
import type { RouteOf } from './guidance';

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
