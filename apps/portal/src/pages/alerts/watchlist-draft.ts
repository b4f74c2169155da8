import { BOUNDS } from '../../generated/bounds';
import type { Draft } from './changes';
import { fromRecord, type Rule } from './rule';
import { type Faults, faultsAt, ruleFaults } from './rule-faults';
import type { WatchlistRecord } from './use-alerts';

/** Bounds of what a watchlist holds. */
export const WATCHLIST = BOUNDS.WatchlistRequest;

/** A rule in a form: its key stays while rules before it come and go. */
export interface KeyedRule {
  readonly key: number;
  readonly rule: Rule;
}

/** A watchlist as a form has it. */
export interface WatchlistDraft extends Omit<Draft, 'rules'> {
  readonly rules: readonly KeyedRule[];
}

/** A draft of what is saved; null where a rule is of a kind that this version does not know, and would be lost by saving. */
export function draftOf({ name, symbols, rules, muted }: WatchlistRecord): WatchlistDraft | null {
  const known = rules.map(fromRecord).filter((rule) => rule !== null);
  return known.length < rules.length ? null : { name, symbols, muted, rules: known.map((rule, key) => ({ key, rule })) };
}

/** The same rules without their keys. */
export const plainDraft = ({ rules, name, ...draft }: WatchlistDraft): Draft => ({
  ...draft,
  name: name.trim(),
  rules: rules.map(({ rule }) => rule),
});

/** Every fault of a draft, by place and field: `name`, `symbols`, `rules.2.states`. */
export function draftFaults({ name, symbols, rules }: WatchlistDraft): Faults {
  const { minItems, maxItems } = WATCHLIST.symbols;
  return new Map([
    ...(name.trim() === '' ? ([['name', 'Give it a name.']] as const) : []),
    ...(symbols.length < minItems ? ([['symbols', 'Choose a symbol.']] as const) : []),
    ...(symbols.length > maxItems ? ([['symbols', `At most ${maxItems} symbols.`]] as const) : []),
    ...rules.flatMap(({ rule }, index) => [...ruleFaults(rule)].map(([field, fault]) => [`rules.${index}.${field}`, fault] as const)),
  ]);
}

/** What is wrong with one rule of a draft. */
export const faultsOfRule = (faults: Faults, index: number): Faults => faultsAt(faults, `rules.${index}`);
