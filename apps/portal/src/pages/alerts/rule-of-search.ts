import { type Rule, usualRule } from './rule';

/** A rule that fires where a saved search would find a packet, as far as one rule can say it. */
export interface RuleOfSearch {
  readonly rule: Rule | null;
  /** Null where the search is of every symbol, or names none. */
  readonly symbol: string | null;
  /** Conditions of the search that the rule has not. */
  readonly left: readonly string[];
}

type Query = Readonly<Record<string, unknown>>;

/** Conditions that a rule can have, the one that says most first. */
const CONDITIONS: readonly (readonly [field: string, rule: (value: string) => Rule])[] = [
  ['event_class', (value) => ({ ...usualRule('event_class_is'), params: { event_classes: [value] } })],
  ['state', (value) => ({ ...usualRule('state_is'), params: { states: [value] } })],
  ['tag', (value) => ({ ...usualRule('tag_added'), params: { tag: value } })],
  ['severity_class', (value) => ({ ...usualRule('severity_at_least'), params: { severity_class: value } })],
];
const OTHERS = ['q', 'event_profile'];

/** The rule of a saved search's query: one condition of it, and the names of those that are left out. */
export function ruleOfSearch(query: Query): RuleOfSearch {
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
