import {
  rehearse,
  type RehearsedRule,
  type RehearsedSetting,
  type RuleInput,
  FLAP_MS,
  isMomentary,
} from '@market-state/alert-rules/rehearsal';
import type { Schemas } from '@market-state/client';
import { HISTORY_SCORES, type Rule, specOf } from './rule';

/**
 * Longer waits with fewer flaps in the rehearsed span, each flapping less than the one before. A setting that never
 * fires is left out.
 */
export function calmerSettings(
  { settings, flaps }: Pick<Outcome, 'settings' | 'flaps'>,
  minConsecutive: number,
): readonly RehearsedSetting[] {
  const calmer: RehearsedSetting[] = [];
  for (const setting of [...settings].sort((a, b) => a.minConsecutive - b.minConsecutive)) {
    const least = calmer.at(-1)?.flaps ?? flaps;
    if (setting.minConsecutive > minConsecutive && setting.triggered > 0 && setting.flaps < least) calmer.push(setting);
  }
  return calmer;
}

export interface Firing {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isFlap: boolean;
}

/** One that does not recover lasts until `endMs`; a momentary rule lasts an instant. */
export function firingsOf(notices: Outcome['notices'], { kind }: Rule, endMs: number): readonly Firing[] {
  const firings: Firing[] = [];
  let endedMs = -Infinity;
  let open: Firing | null = null;
  for (const { phase, atMs } of notices) {
    if (phase === 'triggered') {
      open = { fromMs: atMs, toMs: endMs, isFlap: atMs - endedMs <= FLAP_MS };
      if (!isMomentary(kind)) continue;
    }
    if (open !== null) firings.push({ ...open, toMs: atMs });
    open = null;
    endedMs = atMs;
  }
  return open === null ? firings : [...firings, open];
}

export type HistoryRow = Schemas['HistoryRow'];

/** Rows of the span, and earlier ones that rules look back at. */
export interface LoadedHistory {
  readonly before: readonly HistoryRow[];
  readonly rows: readonly HistoryRow[];
}

/** Fields missing from the row count as not measured. */
function inputOf(row: HistoryRow): RuleInput {
  const values = row as unknown as Readonly<Record<string, number>>;
  return {
    symbol: row.symbol,
    sequence: row.sequence,
    window_end_ms: Date.parse(row.window_end_utc),
    event_id: row.event_id,
    state: row.state,
    event_class: row.event_class,
    event_profile: row.event_profile,
    severity_class: row.severity_class,
    scores: Object.fromEntries(HISTORY_SCORES.map((name) => [name, values[name] ?? null])),
    tags: [...row.tags],
    gap_ids: [],
    ages_ms: {},
    replay_cursor: '',
    synthetic: row.source_kind === 'simulated',
  };
}

/** Runs the live rule code. `endMs` is the end of the span or now, whichever is earlier. */
export function rehearseHere(rules: readonly Rule[], { before, rows }: LoadedHistory, endMs: number): readonly RehearsedRule[] {
  const rehearsal = rehearse(rules.map(specOf), before.map(inputOf));
  for (const row of rows) rehearsal.add(inputOf(row));
  return rehearsal.results(endMs);
}

export interface Outcome {
  readonly triggered: number;
  readonly recovered: number;
  readonly suppressed: number;
  readonly flaps: number;
  readonly holes: number;
  /** Results for other values of `min_consecutive`, and its own. */
  readonly settings: readonly RehearsedSetting[];
  /** Triggers that `min_consecutive` prevented; null if one packet is enough. */
  readonly missed: number | null;
  readonly notices: readonly { readonly phase: string; readonly atMs: number; readonly eventId: string }[];
}

export function outcomeHere(rule: RehearsedRule, { minConsecutive }: Rule): Outcome {
  return {
    ...countsOf(rule, rule.settings, minConsecutive),
    notices: rule.notices.map(({ phase, windowEndMs, eventId }) => ({ phase, atMs: windowEndMs, eventId })),
  };
}

export function outcomeThere(rule: Schemas['RehearsedRule'], { minConsecutive }: Rule): Outcome {
  const settings = rule.settings.map((each) => ({ minConsecutive: each.min_consecutive, triggered: each.triggered, flaps: each.flaps }));
  return {
    ...countsOf(rule, settings, minConsecutive),
    notices: rule.notices.map(({ phase, window_end_utc: at, event_id: eventId }) => ({ phase, atMs: Date.parse(at), eventId })),
  };
}

type Counts = Pick<Outcome, 'triggered' | 'recovered' | 'suppressed' | 'flaps' | 'holes'>;

function countsOf(
  { triggered, recovered, suppressed, flaps, holes }: Counts,
  settings: Outcome['settings'],
  minConsecutive: number,
): Omit<Outcome, 'notices'> {
  return { triggered, recovered, suppressed, flaps, holes, settings, missed: missedOf(settings, minConsecutive, triggered) };
}

function missedOf(settings: Outcome['settings'], minConsecutive: number, triggered: number): number | null {
  const single = settings.find((setting) => setting.minConsecutive === 1);
  return minConsecutive === 1 || single === undefined ? null : Math.max(0, single.triggered - triggered);
}

export function isSameOutcome(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
