import { SEVERITY_CLASSES, WINDOW_MS } from './kinds';
import type { RuleInput } from './rule-input';
import type { RuleSpec } from './rule';

/** Input from `windowsBack` windows earlier; undefined if that window has no packet. */
export type History = (windowsBack: number) => RuleInput | undefined;

export interface Finding {
  /** Null if a score it needs was not measured, so the packet decides nothing. */
  readonly holds: boolean | null;
  /** Included in every notice. */
  readonly condition: Readonly<Record<string, unknown>>;
}

/** Compiled rule, reusable across packets. `history(1)` is undefined across a gap. */
export type Condition = (input: RuleInput, history: History) => Finding;

const FAMILY_OF = { book: 'book', trades: 'trades', context: 'asset_context', liquidations: 'liquidations' } as const;
const SECOND_MS = 1_000;
/** Differences are rounded to six decimals, like the scores. */
const ROUND = 1e6;

const round = (value: number): number => Math.round(value * ROUND) / ROUND;

export function conditionOf(rule: RuleSpec): Condition {
  switch (rule.kind) {
    case 'state_changed':
      return (input, history) => stateChanged(rule.params, input, history(1));
    case 'tag_added':
      return (input, history) => tagAdded(rule.params.tag, input, history(1));
    case 'state_is': {
      const wanted = new Set(rule.params.states);
      return ({ state }) => ({ holds: wanted.has(state), condition: { state, states: rule.params.states } });
    }
    case 'event_class_is': {
      const wanted = new Set(rule.params.event_classes);
      return ({ event_class: found }) => ({
        holds: wanted.has(found),
        condition: { event_class: found, event_classes: rule.params.event_classes },
      });
    }
    case 'severity_at_least':
      return (input) => severityAtLeast(rule.params, input);
    case 'score_change':
      return (input, history) => scoreChange(rule.params, input, history(rule.params.packets));
    case 'feed_stale':
      return (input) => feedStale(rule.params, input);
  }
}

function stateChanged({ from, to }: { from?: string; to?: string }, input: RuleInput, previous: RuleInput | undefined): Finding {
  const isChange = previous !== undefined && previous.state !== input.state;
  const holds = isChange && (from === undefined || previous.state === from) && (to === undefined || input.state === to);
  return { holds, condition: { previous_state: previous?.state ?? null, state: input.state, from: from ?? null, to: to ?? null } };
}

function tagAdded(tag: string, input: RuleInput, previous: RuleInput | undefined): Finding {
  const start = tag.endsWith(':*') ? tag.slice(0, -1) : null;
  const matches = (found: string): boolean => (start === null ? found === tag : found.startsWith(start));
  const added = previous === undefined ? [] : input.tags.filter((found) => matches(found) && !previous.tags.includes(found));
  return { holds: added.length > 0, condition: { tag, tags_added: added } };
}

function severityAtLeast({ severity_class: word, score }: { severity_class?: string; score?: number }, input: RuleInput): Finding {
  const { severity_class: found } = input;
  const value = input.scores['severity_score'] ?? null;
  const rank = (name: string): number => SEVERITY_CLASSES.indexOf(name);
  const isScoreEnough = value === null ? null : value >= (score ?? 0);
  const holds = word === undefined ? isScoreEnough : rank(found) >= rank(word);
  return { holds, condition: { severity_class: found, severity_score: value, at_least: word ?? score } };
}

function scoreChange(
  params: { score: string; by: number; packets: number; direction: 'rise' | 'fall' | 'either' },
  input: RuleInput,
  before: RuleInput | undefined,
): Finding {
  const { score, by, packets, direction } = params;
  const value = input.scores[score] ?? null;
  const earlier = before?.scores[score] ?? null;
  const change = value === null || earlier === null ? null : round(value - earlier);
  const sizeOf = { rise: (size: number) => size, fall: (size: number) => -size, either: Math.abs }[direction];
  const holds = change === null ? null : sizeOf(change) >= by;
  return { holds, condition: { score, value, earlier_value: earlier, change, by, packets, direction } };
}

/** A family that never had a row has no age and does not count as stale. */
function feedStale({ channel, seconds }: { channel?: keyof typeof FAMILY_OF; seconds: number }, input: RuleInput): Finding {
  const ageMs = channel === undefined ? freshestAge(input) : (input.ages_ms[FAMILY_OF[channel]] ?? null);
  const holds = ageMs !== null && ageMs >= seconds * SECOND_MS;
  return { holds, condition: { channel: channel ?? null, age_seconds: ageMs === null ? null : ageMs / SECOND_MS, seconds } };
}

function freshestAge({ ages_ms: ages }: RuleInput): number | null {
  const known = Object.values(ages).filter((age) => age !== null);
  return known.length === 0 ? null : Math.min(...known);
}

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
