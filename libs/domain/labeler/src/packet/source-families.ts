import type { Policy } from '../policy/policy';
import { FEATURE_KEYS, type FeatureKey } from '../feature-keys';
import { type MarketRead, type SourceFamily, type SourceRead } from '../read';

/** Families of that status, in table order; with a reason, only those that have it. */
export function familiesOf(read: MarketRead, status: SourceRead['status'], reason?: string): readonly SourceFamily[] {
  return read.sources
    .filter((source) => source.status === status && (reason === undefined || source.reason === reason))
    .map((source) => source.family);
}

/** Features of a family that are null at T. */
export function unavailableFeatures(read: MarketRead, family: SourceFamily, policy: Policy): readonly FeatureKey[] {
  return FEATURE_KEYS.filter((key) => read.features[key] === null && policy.sourceFamilyOf.get(key) === family);
}
