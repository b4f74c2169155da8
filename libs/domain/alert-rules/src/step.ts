import { sha256Hex } from '@market-state/labeler/lineage';
import { conditionOf, type Condition, type Finding, type History } from './condition';
import { isMomentary } from './kinds';
import type { RuleSpec } from './rule';
import { WINDOW_MS } from './kinds';
import type { RuleInput } from './rule-input';
import { type AlertState, draftOf, type RuleState, type RuleStateDraft } from './rule-state';

/** A rule's state becomes unknown after a longer span without packets. */
const FORGOTTEN_AFTER_MS = 600_000;
/** After this silence, the state is marked as no longer current. */
const MARKED_AFTER_MS = 60_000;
const SECOND_MS = 1_000;

export interface LiveRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly condition: Condition;
}

export const liveRule = (ruleId: string, spec: RuleSpec): LiveRule => ({ ruleId, spec, condition: conditionOf(spec) });

/** `transition` increases by one per rule and symbol. */
export interface Notice {
  readonly phase: 'triggered' | 'recovered' | 'ended';
  readonly episodeId: string;
  readonly transition: number;
  readonly condition: Finding['condition'];
}

/** `standing` is the object passed in if nothing changed. */
export interface Step {
  readonly standing: RuleState;
  readonly notice?: Notice;
  readonly suppressed: boolean;
}

/**
 * Evaluates a rule on the next packet, independent of the wall clock. Ignores packets already evaluated or without the
 * rule's scores.
 * @param history earlier windows by exact window end; undefined where there was no packet
 */
export function stepOnPacket(rule: LiveRule, standing: RuleState, input: RuleInput, history: History): Step {
  if (input.window_end_ms <= standing.lastWindowMs) return { standing, suppressed: false };
  const found = rule.condition(input, history);
  const seen = draftOf(standing);
  passMissing(seen, missingBefore(standing, input));
  seen.stale = false;
  seen.lastWindowMs = input.window_end_ms;
  seen.lastSequence = input.sequence;
  const at = { symbol: input.symbol, ms: input.window_end_ms, reportedAtMs: input.window_end_ms };
  if (isMomentary(rule.spec.kind)) return momentary(rule, seen, at, found);
  if (found.holds === null) return { standing: seen, suppressed: false };
  return found.holds ? onTrue(rule, seen, at, found) : onFalse(rule, seen, at, found);
}

/** Infinity for all kinds except `feed_stale`. */
function firesAfterSilence({ spec }: LiveRule): number {
  return spec.kind === 'feed_stale' ? spec.params.seconds * SECOND_MS + (spec.minConsecutive - 1) * WINDOW_MS : Infinity;
}

/** `silentMs` is the time since the last packet; cooldowns count from `nowMs`. */
export interface Silence {
  readonly symbol: string;
  readonly silentMs: number;
  readonly nowMs: number;
}

/**
 * Evaluates a rule while no packets arrive: the state is marked after 60 s, and `feed_stale` fires after its own time.
 * No other rule changes.
 */
export function stepOnSilence(rule: LiveRule, standing: RuleState, { symbol, silentMs, nowMs }: Silence): Step {
  const { spec } = rule;
  const isMarked = silentMs >= MARKED_AFTER_MS;
  const isQuiet = silentMs < firesAfterSilence(rule) || standing.lastWindowMs === 0 || standing.state === 'firing';
  if (isQuiet && isMarked === standing.stale) return { standing, suppressed: false };
  const marked = draftOf(standing);
  marked.stale = isMarked;
  if (isQuiet) return { standing: marked, suppressed: false };
  const condition = {
    channel: spec.kind === 'feed_stale' ? (spec.params.channel ?? null) : null,
    seconds: spec.kind === 'feed_stale' ? spec.params.seconds : null,
    no_packet: true,
  };
  const at = { symbol, ms: standing.lastWindowMs, reportedAtMs: nowMs };
  if (standing.state === 'unknown') return { standing: moved(marked, 'firing', at.ms), suppressed: false };
  if (standing.state === 'recovering') return { standing: moved(marked, 'firing', at.ms), suppressed: false };
  return fire(rule, marked, at, { holds: true, condition });
}

/**
 * Evaluates a rule on a finished span without packets, from the packet before it to `untilMs`. `feed_stale` fires as by
 * the clock, unless already evaluated.
 * @returns the step and its time, or undefined if the span is too short
 */
export function stepOnMissing(
  rule: LiveRule,
  standing: RuleState,
  last: RuleInput,
  untilMs: number,
): { readonly step: Step; readonly atMs: number } | undefined {
  const silentMs = firesAfterSilence(rule);
  const atMs = last.window_end_ms + silentMs;
  return atMs < untilMs ? { step: stepOnSilence(rule, standing, { symbol: last.symbol, silentMs, nowMs: atMs }), atMs } : undefined;
}

/** An open episode is reported if its trigger was. */
export function endRuleEpisode(standing: RuleState): Notice | undefined {
  const { episodeId, episodeTold, transition } = standing;
  if (episodeId === null || !episodeTold) return undefined;
  return { phase: 'ended', episodeId, transition: transition + 1, condition: {} };
}

interface Moment {
  readonly symbol: string;
  readonly ms: number;
  readonly reportedAtMs: number;
}

function moved(standing: RuleStateDraft, state: AlertState, ms: number, consecutive = 0): RuleStateDraft {
  if (state !== standing.state) standing.sinceMs = ms;
  standing.state = state;
  standing.consecutive = consecutive;
  return standing;
}

/** At least one window if labeling restarted with lower sequence numbers. */
function missingBefore({ lastWindowMs, lastSequence }: RuleState, { window_end_ms: windowMs, sequence }: RuleInput): number {
  if (lastWindowMs === 0) return 0;
  return Math.max(windowMs - lastWindowMs - WINDOW_MS, sequence <= lastSequence ? WINDOW_MS : 0);
}

/**
 * A gap resets the counts; a long one makes the state unknown. A reported episode stays, so that its recovery can be
 * reported.
 */
function passMissing(standing: RuleStateDraft, missingMs: number): void {
  if (missingMs > 0) standing.consecutive = 0;
  if (missingMs > FORGOTTEN_AFTER_MS) standing.state = 'unknown';
}

function momentary(rule: LiveRule, seen: RuleStateDraft, at: Moment, found: Finding): Step {
  const isKnown = seen.state !== 'unknown';
  moved(seen, 'normal', at.ms);
  if (!found.holds || !isKnown) return { standing: seen, suppressed: false };
  const { sinceMs } = seen;
  const fired = fire(rule, seen, at, found);
  seen.state = 'normal';
  seen.sinceMs = sinceMs;
  endEpisode(seen);
  return fired;
}

function onTrue(rule: LiveRule, seen: RuleStateDraft, at: Moment, found: Finding): Step {
  switch (seen.state) {
    case 'unknown':
    case 'firing':
    case 'recovering':
      return { standing: moved(seen, 'firing', at.ms), suppressed: false };
    case 'normal':
    case 'pending': {
      const consecutive = (seen.state === 'pending' ? seen.consecutive : 0) + 1;
      if (consecutive < rule.spec.minConsecutive) return { standing: moved(seen, 'pending', at.ms, consecutive), suppressed: false };
      return fire(rule, seen, at, found);
    }
  }
}

function onFalse(rule: LiveRule, seen: RuleStateDraft, at: Moment, found: Finding): Step {
  switch (seen.state) {
    case 'normal':
    case 'pending':
      return { standing: moved(seen, 'normal', at.ms), suppressed: false };
    case 'unknown':
      return recover(seen, at, found);
    case 'firing':
    case 'recovering': {
      const consecutive = (seen.state === 'recovering' ? seen.consecutive : 0) + 1;
      if (consecutive < rule.spec.minConsecutive) return { standing: moved(seen, 'recovering', at.ms, consecutive), suppressed: false };
      return recover(seen, at, found);
    }
  }
}

function fire({ ruleId, spec }: LiveRule, standing: RuleStateDraft, { symbol, ms, reportedAtMs }: Moment, { condition }: Finding): Step {
  const episodeId = `ep_${sha256Hex(`${ruleId} ${symbol} ${ms}`).slice(0, 26)}`;
  moved(standing, 'firing', ms);
  standing.episodeId = episodeId;
  standing.episodeTold = standing.lastToldMs === null || reportedAtMs - standing.lastToldMs >= spec.cooldownSeconds * SECOND_MS;
  if (!standing.episodeTold) return { standing, suppressed: true };
  standing.lastToldMs = reportedAtMs;
  standing.transition += 1;
  return { standing, notice: { phase: 'triggered', episodeId, transition: standing.transition, condition }, suppressed: false };
}

function recover(standing: RuleStateDraft, { ms }: Moment, { condition }: Finding): Step {
  const { episodeId, episodeTold } = standing;
  moved(standing, 'normal', ms);
  endEpisode(standing);
  if (episodeId === null || !episodeTold) return { standing, suppressed: false };
  standing.transition += 1;
  return { standing, notice: { phase: 'recovered', episodeId, transition: standing.transition, condition }, suppressed: false };
}

function endEpisode(standing: RuleStateDraft): void {
  standing.episodeId = null;
  standing.episodeTold = false;
}
