import type { TextsFile } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { ReasonDetail } from './reasons';

/** The read in sentences, with what speaks against it and what would end it. */
export interface ClientReasonSummary {
  readonly what_changed: string;
  readonly why_now: string;
  /** Never empty. */
  readonly counterevidence: readonly string[];
  readonly invalidation_conditions: readonly string[];
  readonly next_check: string;
  readonly claim_boundary: TextsFile['claim_boundary'];
}

export function clientReasonSummary(facts: Facts, reasons: readonly ReasonDetail[], policy: Policy): ClientReasonSummary {
  const supporting = reasons.filter((reason) => reason.stance === 'supports').slice(0, policy.literals.why_now_reason_total);
  const against = counterevidence(reasons);
  return {
    what_changed: policy.texts.what_changed.every(facts).join(' '),
    why_now: supporting.map((reason) => reason.claim).join(' '),
    counterevidence: against.length > 0 ? against : [policy.literals.nothing_against],
    invalidation_conditions: policy.texts.invalidation.every(facts),
    next_check: policy.texts.next_check.first(facts),
    claim_boundary: policy.literals.claim_boundary,
  };
}

/** A screen's worth of the packet: five sentences. */
export interface ClientReadout {
  readonly headline: string;
  readonly read: string;
  readonly support: string;
  readonly against: string;
  readonly next_step: string;
}

export function clientReadout(facts: Facts, reasons: readonly ReasonDetail[], policy: Policy): ClientReadout {
  return {
    headline: policy.texts.headline.first(facts),
    read: policy.texts.readout.first(facts),
    support: policy.texts.support.first(facts),
    against: counterevidence(reasons)[0] ?? policy.literals.nothing_against,
    next_step: policy.texts.next_step.first(facts),
  };
}

function counterevidence(reasons: readonly ReasonDetail[]): readonly string[] {
  return reasons.filter((reason) => reason.stance === 'weighs_against').map((reason) => reason.claim);
}
