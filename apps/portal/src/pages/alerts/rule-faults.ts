import { whole } from '../../market/numbers';
import { isMomentary, RULE_BOUNDS, RULE_TAG } from '@market-state/alert-rules/rehearsal';
import { InvalidError } from '@market-state/client';
import type { Rule } from './rule';

export type Faults = ReadonlyMap<string, string>;

export const NO_FAULTS: Faults = new Map();

interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function ruleFaults(rule: Rule): Faults {
  const { minConsecutive, cooldownSeconds } = rule;
  const found: (readonly [string, string])[] = [
    ...paramFaults(rule),
    ['min_consecutive', isMomentary(rule.kind) ? '' : wholeFault(minConsecutive, RULE_BOUNDS.minConsecutive)],
    ['cooldown_seconds', wholeFault(cooldownSeconds, RULE_BOUNDS.cooldownSeconds)],
  ];
  return new Map(found.filter(([, fault]) => fault !== ''));
}

function paramFaults({ kind, params }: Rule): readonly (readonly [string, string])[] {
  switch (kind) {
    case 'state_changed':
      return [];
    case 'state_is':
      return [['states', isEmpty(params['states']) ? 'Choose a state.' : '']];
    case 'event_class_is':
      return [['event_classes', isEmpty(params['event_classes']) ? 'Choose an event class.' : '']];
    case 'tag_added':
      return [['tag', tagFault(String(params['tag'] ?? ''))]];
    case 'severity_at_least':
      return [['score', params['score'] === undefined ? '' : rangeFault(Number(params['score']), RULE_BOUNDS.severityScore)]];
    case 'score_change':
      return [
        ['by', Number(params['by']) > RULE_BOUNDS.by.min ? rangeFault(Number(params['by']), RULE_BOUNDS.by) : 'Enter a number above 0.'],
        ['packets', wholeFault(Number(params['packets']), RULE_BOUNDS.packets)],
      ];
    case 'feed_stale':
      return [['seconds', wholeFault(Number(params['seconds']), RULE_BOUNDS.seconds)]];
  }
}

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

function tagFault(tag: string): string {
  if (tag === '') return 'Enter a tag.';
  if (tag.length > RULE_TAG.lengthMax) return `At most ${RULE_TAG.lengthMax} characters.`;
  return RULE_TAG.pattern.test(tag) ? '' : 'Two or three parts, such as pressure:bid_elevated:hot; the last may be *.';
}

const rangeFault = (value: number, { min, max }: Bounds): string =>
  value >= min && value <= max ? '' : `Enter a number from ${min} to ${whole(max)}.`;

const wholeFault = (value: number, { min, max }: Bounds): string =>
  Number.isInteger(value) ? rangeFault(value, { min, max }) : `Enter a whole number from ${min} to ${whole(max)}.`;

/** Server-side faults by path and field: `name`, `symbols`, `rule.by`, `rules.2.states`. */
export function refusedFields(error: unknown): Faults {
  if (!(error instanceof InvalidError)) return NO_FAULTS;
  const faults = new Map<string, string>();
  for (const { loc, msg } of error.faults) {
    const [list, index, ...rest] = loc.slice(1);
    const path = list === 'rules' && typeof index === 'number' ? ['rules', index, fieldOf(rest)] : pathOf(list, index, rest);
    const place = path.join('.');
    faults.set(place, faults.has(place) ? `${faults.get(place) ?? ''}; ${msg}` : msg);
  }
  return faults;
}

const pathOf = (list: string | number | undefined, index: string | number | undefined, rest: readonly (string | number)[]) =>
  list === 'rule' ? ['rule', fieldOf(index === undefined ? rest : [index, ...rest])] : [list ?? ''];

/** A fault of the whole `params` object is shown at the rule's kind. */
const fieldOf = (path: readonly (string | number)[]): string => String(path.find((part) => part !== 'params') ?? 'kind');

/** Faults below one path, such as `rules.2`, by field name. */
export function faultsAt(faults: Faults, place: string): Faults {
  const start = `${place}.`;
  return new Map([...faults].flatMap(([path, fault]) => (path.startsWith(start) ? [[path.slice(start.length), fault]] : [])));
}

const RULE_FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'from',
  'to',
  'tag',
  'states',
  'event_classes',
  'severity_class',
  'score',
  'by',
  'packets',
  'direction',
  'channel',
  'seconds',
  'min_consecutive',
  'cooldown_seconds',
]);

export function isSaidAtRules(error: unknown, fields: readonly string[]): boolean {
  const places = [...refusedFields(error).keys()];
  const isSaid = (place: string): boolean =>
    fields.includes(place) || (/^rules?\./.test(place) && RULE_FIELDS.has(place.slice(place.lastIndexOf('.') + 1)));
  return places.length > 0 && places.every(isSaid);
}
