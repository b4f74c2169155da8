import type { Stance } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { RouteOf } from './routes';

/** A number that a claim prints, with the field of this packet that holds the same number. */
export interface ClaimNumber {
  readonly name: string;
  readonly value: number;
  /** Dotted path into the packet; `lane:<lane_id>.<field>` for a compute lane. */
  readonly packet_field: string;
}

/** One reason, with where its evidence opens. */
export interface ReasonDetail {
  readonly reason_id: string;
  readonly reason_family: string;
  readonly compute_lane: string;
  readonly horizon: string;
  /** Whether it speaks for the read, against it, or beside it. */
  readonly stance: Stance;
  readonly claim: string;
  readonly numbers: readonly ClaimNumber[];
  readonly supporting_features: readonly string[];
  readonly evidence_routes: readonly string[];
}

/** Every reason whose condition holds and whose facts are all there, in policy order. */
export function reasonDetails(facts: Facts, routeOf: RouteOf, policy: Policy): readonly ReasonDetail[] {
  const fieldOf = packetFields(policy);
  return policy.reasons.flatMap((reason) => {
    const claim = reason.test(facts) ? reason.claim.render(facts) : null;
    if (claim === null) return [];
    return [
      {
        reason_id: reason.reasonId,
        reason_family: reason.family,
        compute_lane: reason.lane,
        horizon: reason.horizon,
        stance: reason.stance,
        claim,
        numbers: reason.claim.facts.flatMap((name) => {
          const value = facts[name];
          return typeof value === 'number' ? [{ name, value, packet_field: fieldOf.get(name) ?? '' }] : [];
        }),
        supporting_features: reason.features,
        evidence_routes: reason.evidence.map(routeOf),
      },
    ];
  });
}

function packetFields(policy: Policy): ReadonlyMap<string, string> {
  return new Map(policy.facts.flatMap((fact) => (fact.packet_field === undefined ? [] : [[fact.name, fact.packet_field] as const])));
}
