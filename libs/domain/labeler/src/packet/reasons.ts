import type { Stance } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { CompiledReason } from '../policy/rules';
import { COMPOSITES, STATES } from '../read';
import type { RouteOf } from './routes';

/** One reason, with where its evidence opens. */
export interface ReasonDetail {
  readonly reason_id: string;
  readonly reason_family: string;
  readonly compute_lane: string;
  readonly horizon: string;
  /** Whether it speaks for the read, against it, or beside it. */
  readonly stance: Stance;
  readonly claim: string;
  /** The numbers that the claim prints, by fact; policy/facts.json says which field of the packet holds the same number. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly supporting_features: readonly string[];
  readonly evidence_routes: readonly string[];
}

/** Every reason whose condition holds and whose facts are all there, in policy order. */
export function reasonDetails(facts: Facts, routeOf: RouteOf, policy: Policy): readonly ReasonDetail[] {
  return policy.reasons.flatMap((reason) => {
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
        numbers: numbersOf(reason.claim.facts, facts),
        supporting_features: reason.features,
        evidence_routes: reason.evidence.map(routeOf),
      },
    ];
  });
}

/** A composite that other states read and the raw winner does not cannot support it: it stands beside it. */
function stanceOf({ stance, family }: CompiledReason, facts: Facts, policy: Policy): Stance {
  const composite = COMPOSITES.find((name) => name === family);
  const winner = STATES.find((state) => state === facts['winner']);
  if (stance !== 'supports' || composite === undefined || winner === undefined) return stance;
  const { state_composites: composites } = policy.numbers;
  const readByAny = STATES.some((state) => composites[state].includes(composite));
  return readByAny && !composites[winner].includes(composite) ? 'context' : 'supports';
}

function numbersOf(names: readonly string[], facts: Facts): Readonly<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const name of names) {
    const value = facts[name];
    if (typeof value === 'number') numbers[name] = value;
  }
  return numbers;
}
