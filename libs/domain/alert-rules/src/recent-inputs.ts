import type { History } from './condition';
import { WINDOW_MS } from './kinds';
import type { RuleInput } from './read-stored';

/** Windows that rules look back at most. */
export const LOOK_BACK_WINDOWS = 360;

/** The inputs of one symbol that rules may look back at. */
export interface RecentInputs {
  /** Looks back from an input. Nothing is seen across a fall of the numbers of packets: labeling began anew there. */
  before(input: RuleInput): History;
  add(input: RuleInput): void;
}

/** Keeps the newest windows of one symbol, those of `initial` to begin with. */
export function recentInputs(initial: readonly RuleInput[] = []): RecentInputs {
  const byWindow = new Map<number, RuleInput>();
  let newest = 0;
  const add = (input: RuleInput): void => {
    if (input.sequence <= newest) byWindow.clear();
    newest = input.sequence;
    byWindow.set(input.window_end_ms, input);
    const oldest = input.window_end_ms - LOOK_BACK_WINDOWS * WINDOW_MS;
    for (const windowMs of byWindow.keys()) {
      if (windowMs >= oldest) break;
      byWindow.delete(windowMs);
    }
  };
  initial.forEach(add);
  return {
    add,
    before(input) {
      if (input.sequence <= newest) return () => undefined;
      return (windowsBack) => byWindow.get(input.window_end_ms - windowsBack * WINDOW_MS);
    },
  };
}
