import { sha256Hex } from '@market-state/labeler/lineage';
import { conditionOf, type Condition, type Finding, type History } from './condition';
import { isMomentary } from './kinds';
import type { RuleSpec } from './rule';
import { WINDOW_MS } from './kinds';
import type { RuleInput } from './read-stored';
import { type AlertState, draftOf, type Standing, type StandingDraft } from './standing';

/** A stretch without packets after which nothing is known of a rule any more. */
const FORGOTTEN_AFTER_MS = 600_000;
/** Silence after which a standing is marked: it is what it was before. */
const MARKED_AFTER_MS = 60_000;
const SECOND_MS = 1_000;

/** A rule with its id, ready to be looked at on many packets. */
export interface LiveRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly condition: Condition;
}

export const liveRule = (ruleId: string, spec: RuleSpec): LiveRule => ({ ruleId, spec, condition: conditionOf(spec) });

/** What is to be told of an episode. `transition` rises by one for a rule and symbol. */
export interface Notice {
  readonly phase: 'triggered' | 'recovered' | 'ended';
  readonly episodeId: string;
  readonly transition: number;
  readonly condition: Finding['condition'];
}

/** One look at a rule. `standing` is the one that was given where nothing changed. */
export interface Step {
  readonly standing: Standing;
  readonly notice?: Notice;
  /** A trigger that the cooldown held back. */
  readonly suppressed: boolean;
}

/**
 * Looks at a rule on the next packet of a symbol. A packet that was looked at before changes nothing, and one that says nothing of the rule
 * leaves it where it stands. The wall clock has no part in it.
 * @param history windows before this one, by exact window ends; undefined where there was no packet
 */
export function stepOnPacket(rule: LiveRule, standing: Standing, input: RuleInput, history: History): Step {
  if (input.window_end_ms <= standing.lastWindowMs) return { standing, suppressed: false };
  const found = rule.condition(input, history);
  const seen = draftOf(standing);
  passHole(seen, holeBefore(standing, input));
  seen.stale = false;
  seen.lastWindowMs = input.window_end_ms;
  seen.lastSequence = input.sequence;
  const at = { symbol: input.symbol, ms: input.window_end_ms, toldMs: input.window_end_ms };
  if (isMomentary(rule.spec.kind)) return momentary(rule, seen, at, found);
  if (found.holds === null) return { standing: seen, suppressed: false };
  return found.holds ? onTrue(rule, seen, at, found) : onFalse(rule, seen, at, found);
}

/** How long no packet must come for a rule to fire, milliseconds; Infinity for all kinds but `feed_stale`. */
function firesAfterSilence({ spec }: LiveRule): number {
  return spec.kind === 'feed_stale' ? spec.params.seconds * SECOND_MS + (spec.minConsecutive - 1) * WINDOW_MS : Infinity;
}

/** How long no packet of a symbol came, and the instant of the look, which a cooldown runs from. */
export interface Silence {
  readonly symbol: string;
  readonly silentMs: number;
  readonly nowMs: number;
}

/**
 * Looks at a rule while no packet comes: a standing is marked after 60 s, and `feed_stale` fires after its own time. No other rule moves.
 */
export function stepOnSilence(rule: LiveRule, standing: Standing, { symbol, silentMs, nowMs }: Silence): Step {
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
  const at = { symbol, ms: standing.lastWindowMs, toldMs: nowMs };
  if (standing.state === 'unknown') return { standing: moved(marked, 'firing', at.ms), suppressed: false };
  if (standing.state === 'recovering') return { standing: moved(marked, 'firing', at.ms), suppressed: false };
  return fire(rule, marked, at, { holds: true, condition });
}

/**
 * Looks at a rule on a stretch without packets that is over: from the window of the packet before it to `untilMs`. `feed_stale` fires as it
 * would have by the clock, unless somebody looked by then.
 * @returns the step and its instant, or undefined where the stretch is too short for the rule
 */
export function stepOnHole(
  rule: LiveRule,
  standing: Standing,
  last: RuleInput,
  untilMs: number,
): { readonly step: Step; readonly atMs: number } | undefined {
  const silentMs = firesAfterSilence(rule);
  const atMs = last.window_end_ms + silentMs;
  return atMs < untilMs ? { step: stepOnSilence(rule, standing, { symbol: last.symbol, silentMs, nowMs: atMs }), atMs } : undefined;
}

/** The end of a rule that is deleted or changed: its open episode is told of where its trigger was. */
export function endStanding(standing: Standing): Notice | undefined {
  const { episodeId, episodeTold, transition } = standing;
  if (episodeId === null || !episodeTold) return undefined;
  return { phase: 'ended', episodeId, transition: transition + 1, condition: {} };
}

interface Moment {
  readonly symbol: string;
  /** End of the window that notices are about. */
  readonly ms: number;
  /** When a notice is told, as cooldowns count. */
  readonly toldMs: number;
}

/** Moves a standing to a state. */
function moved(standing: StandingDraft, state: AlertState, ms: number, consecutive = 0): StandingDraft {
  if (state !== standing.state) standing.sinceMs = ms;
  standing.state = state;
  standing.consecutive = consecutive;
  return standing;
}

/** Time without packets before an input; where labeling began anew with lower numbers, one window at least. */
function holeBefore({ lastWindowMs, lastSequence }: Standing, { window_end_ms: windowMs, sequence }: RuleInput): number {
  if (lastWindowMs === 0) return 0;
  return Math.max(windowMs - lastWindowMs - WINDOW_MS, sequence <= lastSequence ? WINDOW_MS : 0);
}

/** A hole starts counts again; a long one makes the state unknown. What was told of an episode stays, for its recovery. */
function passHole(standing: StandingDraft, holeMs: number): void {
  if (holeMs > 0) standing.consecutive = 0;
  if (holeMs > FORGOTTEN_AFTER_MS) standing.state = 'unknown';
}

function momentary(rule: LiveRule, seen: StandingDraft, at: Moment, found: Finding): Step {
  const isKnown = seen.state !== 'unknown';
  moved(seen, 'normal', at.ms);
  if (!found.holds || !isKnown) return { standing: seen, suppressed: false };
  const { sinceMs } = seen;
  const fired = fire(rule, seen, at, found);
  // It is true for one packet: the episode is over with it.
  seen.state = 'normal';
  seen.sinceMs = sinceMs;
  endEpisode(seen);
  return fired;
}

function onTrue(rule: LiveRule, seen: StandingDraft, at: Moment, found: Finding): Step {
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

function onFalse(rule: LiveRule, seen: StandingDraft, at: Moment, found: Finding): Step {
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

/** Begins an episode; within the cooldown it is not told. */
function fire({ ruleId, spec }: LiveRule, standing: StandingDraft, { symbol, ms, toldMs }: Moment, { condition }: Finding): Step {
  const episodeId = `ep_${sha256Hex(`${ruleId} ${symbol} ${ms}`).slice(0, 26)}`;
  moved(standing, 'firing', ms);
  standing.episodeId = episodeId;
  standing.episodeTold = standing.lastToldMs === null || toldMs - standing.lastToldMs >= spec.cooldownSeconds * SECOND_MS;
  if (!standing.episodeTold) return { standing, suppressed: true };
  standing.lastToldMs = toldMs;
  standing.transition += 1;
  return { standing, notice: { phase: 'triggered', episodeId, transition: standing.transition, condition }, suppressed: false };
}

/** Ends an episode; the end is told where its trigger was. */
function recover(standing: StandingDraft, { ms }: Moment, { condition }: Finding): Step {
  const { episodeId, episodeTold } = standing;
  moved(standing, 'normal', ms);
  endEpisode(standing);
  if (episodeId === null || !episodeTold) return { standing, suppressed: false };
  standing.transition += 1;
  return { standing, notice: { phase: 'recovered', episodeId, transition: standing.transition, condition }, suppressed: false };
}

function endEpisode(standing: StandingDraft): void {
  standing.episodeId = null;
  standing.episodeTold = false;
}
