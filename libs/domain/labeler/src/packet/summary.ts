import type { TextsFile } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import { counterevidence, type ReasonDetail } from './reasons';

/** The read in sentences, with what speaks against it and what would end it. */
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

/** A screen's worth of the packet: four sentences. */
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
