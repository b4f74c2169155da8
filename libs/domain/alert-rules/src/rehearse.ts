import type { History } from './condition';
import { WINDOW_MS, type RuleInput } from './rule-input';
import { isMomentary, type RuleSpec } from './rule';
import { recentInputs } from './recent-inputs';
import { NEW_STANDING, type AlertState, type Standing } from './standing';
import { liveRule, type LiveRule, type Notice, stepOnPacket } from './step';

/** A trigger so soon after the end of the episode before is a flap, milliseconds. */
const FLAP_MS = 600_000;
const NOTICES_MAX = 1_000;
const SETTINGS = [1, 2, 3, 6] as const;

/** What a rule would have told of one symbol. */
export interface RehearsedRule {
  readonly triggered: number;
  readonly recovered: number;
  /** Triggers that the cooldown held back. */
  readonly suppressed: number;
  /** Triggers within 10 minutes of the end of the episode before. */
  readonly flaps: number;
  /** Stretches without packets. */
  readonly holes: number;
  /** The first 1,000. */
  readonly notices: readonly RehearsedNotice[];
  /** Triggers by `min_consecutive`; momentary kinds have 1 alone. */
  readonly settings: readonly { readonly minConsecutive: number; readonly triggered: number }[];
  readonly state: AlertState;
}

export interface RehearsedNotice {
  readonly phase: 'triggered' | 'recovered';
  readonly windowEndMs: number;
  readonly eventId: string;
  readonly replayCursor: string;
}

/**
 * Runs rules over stored inputs of one symbol by the code that runs live; every rule begins as a new one does. `before` are the inputs from
 * before the span, oldest first, that rules look back at.
 */
export function rehearse(
  specs: readonly RuleSpec[],
  before: readonly RuleInput[] = [],
): { add(input: RuleInput): void; results(): readonly RehearsedRule[] } {
  const each = specs.map((spec, index) => rehearseOne(`rule ${index}`, spec));
  const recent = recentInputs(before);
  let lastMs = 0;
  let holes = 0;
  return {
    add(input) {
      if (lastMs !== 0 && input.window_end_ms - lastMs > WINDOW_MS) holes += 1;
      lastMs = input.window_end_ms;
      const history = recent.before(input);
      for (const rule of each) rule.add(input, history);
      recent.add(input);
    },
    results: () => each.map((rule) => ({ ...rule.result(), holes })),
  };
}

function rehearseOne(ruleId: string, spec: RuleSpec) {
  const main = tally(liveRule(ruleId, spec));
  const settings = isMomentary(spec.kind) ? [] : SETTINGS.filter((setting) => setting !== spec.minConsecutive);
  const others = settings.map((minConsecutive) => ({ minConsecutive, tally: tally(liveRule(ruleId, { ...spec, minConsecutive })) }));
  return {
    add(input: RuleInput, history: History) {
      main.add(input, history);
      for (const other of others) other.tally.add(input, history);
    },
    result(): Omit<RehearsedRule, 'holes'> {
      const own = { minConsecutive: spec.minConsecutive, triggered: main.counts.triggered };
      const all = [own, ...others.map(({ minConsecutive, tally: { counts } }) => ({ minConsecutive, triggered: counts.triggered }))];
      return {
        ...main.counts,
        notices: main.notices,
        settings: all.sort((a, b) => a.minConsecutive - b.minConsecutive),
        state: main.standing().state,
      };
    },
  };
}

function tally(rule: LiveRule) {
  let standing: Standing = NEW_STANDING;
  let endedMs = -Infinity;
  const counts = { triggered: 0, recovered: 0, suppressed: 0, flaps: 0 };
  const notices: RehearsedNotice[] = [];
  const told = ({ phase }: Notice, input: RuleInput): void => {
    if (phase === 'ended') return;
    counts[phase] += 1;
    if (phase === 'triggered' && input.window_end_ms - endedMs <= FLAP_MS) counts.flaps += 1;
    if (phase === 'recovered' || isMomentary(rule.spec.kind)) endedMs = input.window_end_ms;
    if (notices.length < NOTICES_MAX)
      notices.push({ phase, windowEndMs: input.window_end_ms, eventId: input.event_id, replayCursor: input.replay_cursor });
  };
  return {
    counts,
    notices,
    standing: () => standing,
    add(input: RuleInput, history: History) {
      const step = stepOnPacket(rule, standing, input, history);
      standing = step.standing;
      if (step.suppressed) counts.suppressed += 1;
      if (step.notice !== undefined) told(step.notice, input);
    },
  };
}
