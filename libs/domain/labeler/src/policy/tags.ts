import type { Facts } from './fact';
import type { Policy } from './policy';

/**
 * The packet's tags in policy order, each `<family>:<value>:<horizon>` (or `<family>:<value>`). They read the market facts of T alone:
 * never novelty, the transition type or a digest.
 */
export function deriveTags(facts: Facts, policy: Policy): readonly string[] {
  return policy.tags.rules.flatMap((rule) => rule(facts));
}

/** The tags that count in novelty and in "tags changed". */
export function countedTags(tags: readonly string[], policy: Policy): readonly string[] {
  return tags.filter((tag) => !policy.tags.notCounted.has(tag.slice(0, tag.indexOf(':'))));
}
