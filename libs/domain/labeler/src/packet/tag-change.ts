import type { Policy } from '../policy/policy';
import { countedTags } from '../policy/tags';
import type { PacketRead } from '../read';

/** Counted tags that came and went since the packet before; both empty in the first. */
export function tagChange(read: PacketRead, policy: Policy): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  if (read.trail.previousTags === null) return { added: [], removed: [] };
  const previous = countedTags(read.trail.previousTags, policy);
  const current = countedTags(read.tags, policy);
  return {
    added: current.filter((tag) => !previous.includes(tag)),
    removed: previous.filter((tag) => !current.includes(tag)),
  };
}
