import type { Facts } from './fact';
import type { Policy } from './policy';

/** Tags of a packet in policy order, each `<family>:<value>:<horizon>` or `<family>:<value>`. */
export function deriveTags(facts: Facts, policy: Policy): readonly string[] {
  return policy.tags.rules.flatMap((rule) => rule(facts));
}

export function countedTags(tags: readonly string[], policy: Policy): readonly string[] {
  return tags.filter((tag) => !policy.tags.notCounted.has(tag.slice(0, tag.indexOf(':'))));
}
