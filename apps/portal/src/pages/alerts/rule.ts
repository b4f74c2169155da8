import { type RuleKind, type RuleSpec, FEED_CHANNELS, isMomentary, RULE_BOUNDS, RULE_KINDS } from '@market-state/alert-rules/rehearsal';
import type { Schemas } from '@market-state/client';
import { counted, duration, words } from '@market-state/packet-figures';
import { severityWord, stateLabel } from '../../packets/words';
import type { UrlValue } from '../../service/url-state';

type Params = Readonly<Record<string, unknown>>;

/** Form state, possibly incomplete. */
export interface Rule {
  readonly kind: RuleKind;
  readonly params: Params;
  readonly minConsecutive: number;
  readonly cooldownSeconds: number;
}

const USUAL_PARAMS: Readonly<Record<RuleKind, Params>> = {
  state_changed: {},
  tag_added: { tag: '' },
  state_is: { states: [] },
  event_class_is: { event_classes: [] },
  severity_at_least: { severity_class: 'high_context' },
  score_change: { score: 'severity_score', by: 0.2, packets: 3, direction: 'either' },
  feed_stale: { seconds: RULE_BOUNDS.seconds.usual },
};

export function usualRule(kind: RuleKind): Rule {
  return { kind, params: USUAL_PARAMS[kind], minConsecutive: 1, cooldownSeconds: 0 };
}

export function withKind({ minConsecutive, cooldownSeconds }: Rule, kind: RuleKind): Rule {
  return { ...usualRule(kind), minConsecutive: isMomentary(kind) ? 1 : minConsecutive, cooldownSeconds };
}

const isKind = (word: unknown): word is RuleKind => RULE_KINDS.some((kind) => kind === word);

/** Null for a kind that this version does not know. */
export function fromRecord({ kind, params, cooldown_seconds: cooldown, min_consecutive: min }: Schemas['RuleRecord']): Rule | null {
  return isKind(kind) ? { kind, params: { ...params }, minConsecutive: min, cooldownSeconds: cooldown } : null;
}

export function toWire({ kind, params, minConsecutive, cooldownSeconds }: Rule): Schemas['Rule'] {
  return { kind, params, min_consecutive: minConsecutive, cooldown_seconds: cooldownSeconds } as Schemas['Rule'];
}

export const urlRule: UrlValue<Rule | null> = {
  usual: null,
  read(text) {
    try {
      const { kind, params, min, cooldown } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      if (!isKind(kind) || typeof params !== 'object' || params === null) return null;
      return { kind, params: withNumbers(params), minConsecutive: numberOf(min, 1), cooldownSeconds: numberOf(cooldown, 0) };
    } catch {
      return null;
    }
  },
  write: (rule) =>
    rule === null ? '' : JSON.stringify({ kind: rule.kind, params: rule.params, min: rule.minConsecutive, cooldown: rule.cooldownSeconds }),
};

/** An unfinished number is NaN, which JSON writes as null. */
const withNumbers = (params: object): Params =>
  Object.fromEntries(Object.entries(params).map(([name, value]: [string, unknown]) => [name, value === null ? NaN : value]));

const numberOf = (value: unknown, otherwise: number): number => (value === null ? NaN : typeof value === 'number' ? value : otherwise);

/** Equal for rules with the same condition. */
export function conditionText({ kind, params }: Rule): string {
  const members = Object.entries(params).map(([name, value]): readonly [string, unknown] => [
    name,
    Array.isArray(value) ? [...new Set(value.map(String))].sort() : value,
  ]);
  return JSON.stringify([kind, ...members.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Scores in history rows; the others exist only in full packets. */
export const HISTORY_SCORES: readonly string[] = [
  'severity_score',
  'confidence_score',
  'contradiction_score',
  'novelty_score',
  'quality_score',
  'state_margin',
];

/** History rows have everything that the rule reads. */
export function canRunHere({ kind, params }: Rule): boolean {
  if (kind === 'feed_stale') return false;
  return kind !== 'score_change' || HISTORY_SCORES.includes(String(params['score']));
}

export function specOf(rule: Rule): RuleSpec {
  return rule as RuleSpec;
}

export function ruleWords({ kind, params }: Pick<Rule, 'params'> & { readonly kind: string }): string {
  const list = (name: string, say: (word: string) => string): string => ((params[name] ?? []) as readonly string[]).map(say).join(' or ');
  const text = (name: string): string => String(params[name] ?? '');
  switch (kind) {
    case 'state_changed':
      return `state changes${text('from') === '' ? '' : ` from ${stateLabel(text('from'))}`}${text('to') === '' ? '' : ` to ${stateLabel(text('to'))}`}`;
    case 'tag_added':
      return `tag ${text('tag')} is new`;
    case 'state_is':
      return `state is ${list('states', stateLabel)}`;
    case 'event_class_is':
      return `event class is ${list('event_classes', words)}`;
    case 'severity_at_least':
      return `severity is at least ${params['score'] === undefined ? severityWord(text('severity_class')) : text('score')}`;
    case 'score_change':
      return `${words(text('score'))} ${CHANGES[text('direction')] ?? 'changes'} by ${text('by')} in ${counted(Number(text('packets')), 'packet')}`;
    case 'feed_stale':
      return `no ${text('channel') === '' ? 'data' : (FEED_CHANNELS.find((channel) => channel === text('channel')) ?? text('channel'))} for ${text('seconds')} s`;
    default:
      return words(kind);
  }
}

const CHANGES: Readonly<Record<string, string>> = { rise: 'rises', fall: 'falls', either: 'changes' };

export function settingWords({ minConsecutive, cooldownSeconds }: Pick<Rule, 'minConsecutive' | 'cooldownSeconds'>): string {
  const row = minConsecutive === 1 ? 'immediately' : `after ${minConsecutive} packets in a row`;
  return cooldownSeconds === 0 ? row : `${row}, at most once every ${duration(cooldownSeconds * 1_000)}`;
}

interface RuleOfSearch {
  readonly rule: Rule | null;
  /** Null if the search covers every symbol or names none. */
  readonly symbol: string | null;
  readonly left: readonly string[];
}

/** Most specific first. */
const CONDITIONS: readonly (readonly [field: string, rule: (value: string) => Rule])[] = [
  ['event_class', (value) => ({ ...usualRule('event_class_is'), params: { event_classes: [value] } })],
  ['state', (value) => ({ ...usualRule('state_is'), params: { states: [value] } })],
  ['tag', (value) => ({ ...usualRule('tag_added'), params: { tag: value } })],
  ['severity_class', (value) => ({ ...usualRule('severity_at_least'), params: { severity_class: value } })],
];
const OTHERS = ['q', 'event_profile'];

export function ruleOfSearch(query: Params): RuleOfSearch {
  const valuesOf = (field: string): readonly string[] =>
    [query[field]].flat().filter((each): each is string => typeof each === 'string' && each !== '');
  const held = CONDITIONS.flatMap(([field, ruleOf]) => valuesOf(field).map((value) => ({ field, rule: ruleOf(value) })));
  const symbol = valuesOf('symbol')[0];
  return {
    rule: held[0]?.rule ?? null,
    symbol: symbol === undefined || symbol === 'ALL' ? null : symbol,
    left: [...held.slice(1).map(({ field }) => field), ...OTHERS.filter((field) => valuesOf(field).length > 0)],
  };
}

export interface Draft {
  readonly name: string;
  readonly symbols: readonly string[];
  readonly rules: readonly Rule[];
  readonly muted: boolean;
}

export function changesOf(saved: Draft, draft: Draft): readonly string[] {
  const ended = saved.symbols.filter((symbol) => !draft.symbols.includes(symbol));
  const started = draft.symbols.filter((symbol) => !saved.symbols.includes(symbol));
  return [
    ...(saved.name === draft.name ? [] : [`Renamed from ${saved.name} to ${draft.name}.`]),
    ...(ended.length === 0 ? [] : [`No longer watched: ${ended.join(', ')}.`]),
    ...(started.length === 0 ? [] : [`Watched from the next packet on: ${started.join(', ')}.`]),
    ...ruleChanges(saved.rules, draft.rules),
    ...(saved.muted === draft.muted ? [] : [draft.muted ? 'Messages stop until it is unmuted.' : 'Messages resume.']),
  ];
}

/** A rule with the same condition continues with its new settings; any other starts from scratch, as in the service. */
function ruleChanges(saved: readonly Rule[], drafts: readonly Rule[]): readonly string[] {
  const left = [...saved];
  const started: string[] = [];
  const set: string[] = [];
  for (const rule of drafts) {
    const at = left.findIndex((each) => conditionText(each) === conditionText(rule));
    const [before] = at < 0 ? [] : left.splice(at, 1);
    if (before === undefined)
      started.push(
        `Added: ${ruleWords(rule)}, notifying ${settingWords(rule)}. Conditions already true on the first packet do not trigger it.`,
      );
    else if (settingWords(before) !== settingWords(rule))
      set.push(`Changed: ${ruleWords(rule)}. It notified ${settingWords(before)}, and will notify ${settingWords(rule)}.`);
  }
  return [...left.map((rule) => `Removed: ${ruleWords(rule)}, notifying ${settingWords(rule)}.`), ...started, ...set];
}
