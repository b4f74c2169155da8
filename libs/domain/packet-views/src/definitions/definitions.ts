import type { CompositeName, FeatureKey, Policy } from '@market-state/labeler';
import { type CompositeDefinition, compositeDefinitions } from './composite-definitions';
import { featureDefinitions } from './feature-definitions';
import type { Measure } from './measure';

/** A policy's definitions of the numbers and words in its packets, which every view needs. */
export interface Definitions {
  /** Digest of the policy. A packet of another policy may have had other windows and weights. */
  readonly policyDigest: string;
  readonly numbers: Policy['numbers'];
  readonly features: Readonly<Record<FeatureKey, Measure>>;
  readonly composites: Readonly<Record<CompositeName, CompositeDefinition>>;
  /** Source family by feature; a feature that needs no particular one is left out. */
  readonly familyOf: ReadonlyMap<string, string>;
  /** Every word of a kind, in the taxonomy's order; none of a kind that it does not have. */
  words(kind: string): readonly string[];
  /** The published label of a word; the word itself if the taxonomy has none. */
  label(kind: string, value: string): string;
  /** The meaning of a word; empty if the taxonomy does not have it. */
  meaning(kind: string, value: string): string;
}

/** The definitions of a policy. */
export function definitionsOf(policy: Policy): Definitions {
  const term = (kind: string, value: string) => policy.taxonomy.kinds.get(kind)?.get(value);
  return {
    policyDigest: policy.digest,
    numbers: policy.numbers,
    features: featureDefinitions(policy.numbers),
    composites: compositeDefinitions(policy.numbers),
    familyOf: policy.sourceFamilyOf,
    words: (kind) => [...(policy.taxonomy.kinds.get(kind)?.keys() ?? [])],
    label: (kind, value) => term(kind, value)?.label ?? value,
    meaning: (kind, value) => term(kind, value)?.meaning ?? '',
  };
}
