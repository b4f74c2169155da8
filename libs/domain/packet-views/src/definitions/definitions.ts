import type { CompositeName, FeatureKey, Policy } from '@market-state/labeler';
import { type CompositeDefinition, compositeDefinitions } from './composite-definitions';
import { featureDefinitions } from './feature-definitions';
import type { Measure } from './measure';

/** What a policy says of the numbers and words of its packets: what every view is made with. */
export interface Definitions {
  /** Of the policy that they are of. A packet of another one may have had other windows and weights. */
  readonly policyDigest: string;
  readonly numbers: Policy['numbers'];
  readonly features: Readonly<Record<FeatureKey, Measure>>;
  readonly composites: Readonly<Record<CompositeName, CompositeDefinition>>;
  /** Source family by feature; a feature that needs none alone is left out. */
  readonly familyOf: ReadonlyMap<string, string>;
  /** The published label of a word; the word itself where the taxonomy has none. */
  label(kind: string, value: string): string;
  /** What the word means; empty where the taxonomy does not have it. */
  meaning(kind: string, value: string): string;
}

export function definitionsOf(policy: Policy): Definitions {
  const term = (kind: string, value: string) => policy.taxonomy.kinds.get(kind)?.get(value);
  return {
    policyDigest: policy.digest,
    numbers: policy.numbers,
    features: featureDefinitions(policy.numbers),
    composites: compositeDefinitions(policy.numbers),
    familyOf: policy.sourceFamilyOf,
    label: (kind, value) => term(kind, value)?.label ?? value,
    meaning: (kind, value) => term(kind, value)?.meaning ?? '',
  };
}
