import { marketFacts } from '../packet/market-facts';
import type { MarketRead } from '../read';
import type { Policy } from './policy';

/**
 * The packet's tags in policy order, each `<family>:<value>:<horizon>` (or `<family>:<value>`). They read the market at T alone:
 * never novelty, the transition type or a digest.
 */
export function deriveTags(read: MarketRead, policy: Policy): readonly string[] {
  const facts = marketFacts(read, policy);
  return policy.tags.rules.flatMap((rule) => rule(facts));
}

/** The tags that count in novelty and in "tags changed". */
export function countedTags(tags: readonly string[], policy: Policy): readonly string[] {
  return tags.filter((tag) => !policy.tags.notCounted.has(tag.slice(0, tag.indexOf(':'))));
}
