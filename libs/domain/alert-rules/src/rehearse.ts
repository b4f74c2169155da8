import { type History, recentInputs } from './condition';
import { WINDOW_MS } from './kinds';
import type { RuleInput } from './rule-input';
import { isMomentary } from './kinds';
import type { RuleSpec } from './rule';
import { NEW_RULE_STATE, type AlertState, type RuleState } from './rule-state';
import { liveRule, type LiveRule, type Notice, type Step, stepOnMissing, stepOnPacket } from './step';

/** A trigger within this time of the previous episode's end counts as a flap. */
export const FLAP_MS = 600_000;
const NOTICES_MAX = 1_000;
const SETTINGS = [1, 2, 3, 6] as const;

export interface RehearsedRule {
  readonly triggered: number;
  readonly recovered: number;
  readonly suppressed: number;
  readonly flaps: number;
  readonly holes: number;
  /** The first 1,000. */
  readonly notices: readonly RehearsedNotice[];
  /** Triggers and flaps by `min_consecutive`; momentary kinds only have 1. */
  readonly settings: readonly RehearsedSetting[];
  readonly state: AlertState;
}

export interface RehearsedSetting {
  readonly minConsecutive: number;
  readonly triggered: number;
  readonly flaps: number;
}

export interface RehearsedNotice {
  readonly phase: 'triggered' | 'recovered';
  readonly windowEndMs: number;
  readonly eventId: string;
  readonly replayCursor: string;
}

/**
 * Runs rules over stored inputs of one symbol with the live code, treating each packet as seen at its window's end,
 * from the initial state. `before`: earlier inputs, oldest first, for rules that look back. `results` also evaluates
 * the silence up to `endMs`.
 */
export function rehearse(
  specs: readonly RuleSpec[],
  before: readonly RuleInput[] = [],
): { add(input: RuleInput): void; results(endMs: number): readonly RehearsedRule[] } {
  const each = specs.map((spec, index) => rehearseOne(`rule ${index}`, spec));
  const recent = recentInputs(before);
  let last: RuleInput | undefined;
  let holes = 0;
  return {
    add(input) {
      if (last !== undefined && (input.window_end_ms - last.window_end_ms > WINDOW_MS || input.sequence <= last.sequence)) holes += 1;
      const history = recent.before(input);
      for (const rule of each) {
        if (last !== undefined) rule.wait(last, input.window_end_ms);
        rule.add(input, history);
      }
      last = input;
      recent.add(input);
    },
    results(endMs) {
      const found = last;
      if (found !== undefined) for (const rule of each) rule.wait(found, endMs);
      return each.map((rule) => ({ ...rule.result(), holes }));
    },
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
    wait(last: RuleInput, untilMs: number) {
      main.wait(last, untilMs);
      for (const other of others) other.tally.wait(last, untilMs);
    },
    result(): Omit<RehearsedRule, 'holes'> {
      const all = [{ minConsecutive: spec.minConsecutive, tally: main }, ...others];
      return {
        ...main.counts,
        notices: main.notices,
        settings: all
          .map(({ minConsecutive, tally: { counts } }) => ({ minConsecutive, triggered: counts.triggered, flaps: counts.flaps }))
          .sort((a, b) => a.minConsecutive - b.minConsecutive),
        state: main.standing().state,
      };
    },
  };
}

function tally(rule: LiveRule) {
  let standing: RuleState = NEW_RULE_STATE;
  let endedMs = -Infinity;
  const counts = { triggered: 0, recovered: 0, suppressed: 0, flaps: 0 };
  const notices: RehearsedNotice[] = [];
  const addNotice = ({ phase }: Notice, input: RuleInput, atMs: number): void => {
    if (phase === 'ended') return;
    counts[phase] += 1;
    if (phase === 'triggered' && atMs - endedMs <= FLAP_MS) counts.flaps += 1;
    if (phase === 'recovered' || isMomentary(rule.spec.kind)) endedMs = atMs;
    if (notices.length < NOTICES_MAX)
      notices.push({ phase, windowEndMs: input.window_end_ms, eventId: input.event_id, replayCursor: input.replay_cursor });
  };
  const take = (step: Step, input: RuleInput, atMs: number): void => {
    standing = step.standing;
    if (step.suppressed) counts.suppressed += 1;
    if (step.notice !== undefined) addNotice(step.notice, input, atMs);
  };
  return {
    counts,
    notices,
    standing: () => standing,
    add: (input: RuleInput, history: History) => take(stepOnPacket(rule, standing, input, history), input, input.window_end_ms),
    wait(last: RuleInput, untilMs: number) {
      const found = stepOnMissing(rule, standing, last, untilMs);
      if (found !== undefined) take(found.step, last, found.atMs);
    },
  };
}
