import type { History } from './condition';
import { WINDOW_MS } from './kinds';
import type { RuleInput } from './rule-input';

export const LOOK_BACK_WINDOWS = 360;

export interface RecentInputs {
  /** History before an input. It stops where the sequence falls, because labeling restarted there. */
  before(input: RuleInput): History;
  add(input: RuleInput): void;
}

/** Keeps the newest LOOK_BACK_WINDOWS inputs of one symbol, starting with `initial`. */
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
