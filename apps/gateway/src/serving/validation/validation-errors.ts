import { checkRule } from '@market-state/alert-rules';
import { COMPRESSIONS, DATASETS, DEFAULT_DATASET, DEFAULT_FORMAT, DEPTH_MAX, exportFaults, FORMATS } from '@market-state/export-schema';
import { MARKET_FORM } from '@market-state/market-data';
import { WORKLOAD_FAMILIES } from '@market-state/pricing';
import type { ErrorObject } from 'ajv/dist/2020';
import { CHANNEL_NAMES } from '../../clients/market-data-client';
import type { FaultItem } from '../errors/problem';
import { inPeoplesUnits, parseInstant, definitions } from '../meta/meta';
import { type Operation, operationById } from '../openapi/operations';

export function channelFaults(values: Readonly<Record<string, unknown>>): FaultItem[] {
  const list = values['channels'];
  if (typeof list !== 'string' || list === '') return [];
  const known: ReadonlySet<string> = new Set(CHANNEL_NAMES);
  const unknown = [...new Set(list.split(','))].filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return [
    {
      loc: ['query', 'channels'],
      msg: `has unknown channels ${names}: use a comma-separated list of ${CHANNEL_NAMES.join(', ')}, or leave it empty for all`,
      type: 'unknown_channel',
    },
  ];
}

const NAMES_MAX = 5;

export function symbolListFaults({ parameters }: Operation, values: Readonly<Record<string, unknown>>): FaultItem[] {
  const schema = parameters.find(({ name }) => name === 'symbol')?.schema;
  const [listMax, list] = [schema?.['x-list-max'], values['symbol']];
  if (typeof listMax !== 'number' || typeof list !== 'string' || !list.includes(',')) return [];
  const names = list.split(',');
  if (names.length > listMax) return [fault(`names ${names.length} symbols, but a stream takes at most ${listMax}`, 'too_many_symbols')];
  const malformed = names.filter((name) => !MARKET_FORM.test(name));
  if (malformed.length === 0) return [];
  const shown = malformed.slice(0, NAMES_MAX).map((name) => JSON.stringify(name.slice(0, 40)));
  const all = malformed.includes('ALL') ? '; ALL cannot be combined with others' : '';
  return [fault(`has malformed symbols ${shown.join(', ')}: each must look like BTCUSD-PERP${all}`, 'pattern')];
}

function fault(msg: string, type: string): FaultItem {
  return { loc: ['query', 'symbol'], msg, type };
}

const FAMILIES = definitions.words('tag_families');

export function tagFaults(values: Readonly<Record<string, unknown>>): FaultItem[] {
  const tags = [values['tag'] ?? []].flat().filter((tag) => typeof tag === 'string');
  const unknown = [...new Set(tags.map(familyOf))].filter((family) => !FAMILIES.includes(family));
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return [
    {
      loc: ['query', 'tag'],
      msg: `has unknown tag families in ${names}: families are ${FAMILIES.join(', ')}`,
      type: 'unknown_tag_family',
    },
  ];
}

/** A tag is `<family>:<value>:<horizon>`. */
function familyOf(tag: string): string {
  return tag.split(':', 1)[0] ?? '';
}

const WINDOWS = [
  ['from', 'to'],
  ['start', 'end'],
  ['since', 'until'],
] as const;

interface WindowBounds {
  /** Milliseconds; null for any length. */
  readonly windowMsMax: number | null;
  /** Latest instant with data: later windows are in the future. */
  readonly nowMs: number;
}

/** Ignores empty and malformed bounds. */
export function windowFaults(
  values: Readonly<Record<string, unknown>>,
  { windowMsMax, nowMs }: WindowBounds,
  place: 'query' | 'body' = 'query',
): FaultItem[] {
  return WINDOWS.flatMap(([first, last]) => {
    const startMs = parseInstant(String(values[first] ?? ''));
    const endMs = parseInstant(String(values[last] ?? ''));
    if (startMs === null) return [];
    const faults: FaultItem[] = [];
    if (endMs !== null && startMs >= endMs) faults.push({ loc: [place, first], msg: `must be before ${last}`, type: 'window' });
    else if (startMs > nowMs) faults.push({ loc: [place, first], msg: 'must not be in the future', type: 'in_the_future' });
    if (endMs !== null && windowMsMax !== null && endMs - startMs > windowMsMax)
      faults.push({ loc: [place, last], msg: `must be at most ${inPeoplesUnits(windowMsMax)} after ${first}`, type: 'window_too_long' });
    return faults;
  });
}

export function familyFaults({ calls_per_day: calls }: Readonly<Record<string, unknown>>): FaultItem[] {
  if (typeof calls !== 'object' || calls === null) return [];
  const unknown = Object.keys(calls).filter((name) => !WORKLOAD_FAMILIES.some((family) => family === name));
  const msg = `is not a workload family; valid families are ${WORKLOAD_FAMILIES.join(', ')}`;
  return unknown.map((name) => ({ loc: ['query', `calls_per_day[${name}]`], msg, type: 'unknown_workload_family' }));
}

/** Splits like the index, so that tags and states are valid searches. */
export function searchWords(text: string): string[] {
  return [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== ''),
    ),
  ];
}

const WORDS_MAX = 32;
const WORD_LENGTH_MAX = 64;

/** Words only; limited in number and length. */
export function searchWordFaults(q: unknown): FaultItem[] {
  if (typeof q !== 'string') return [];
  const words = searchWords(q);
  const faults: string[] = [];
  if (q.trim() !== '' && words.length === 0) faults.push('must contain a word');
  if (words.some((word) => !/\p{L}/u.test(word)))
    faults.push('must not contain numbers: only words of tags, reasons and state are searched');
  if (words.length > WORDS_MAX) faults.push(`must contain at most ${WORDS_MAX} words`);
  if (words.some((word) => word.length > WORD_LENGTH_MAX)) faults.push(`must contain only words of at most ${WORD_LENGTH_MAX} characters`);
  return faults.length === 0 ? [] : [{ loc: ['query', 'q'], msg: faults.join('; '), type: 'malformed' }];
}

/** The span of a saved search may begin in the future: it runs repeatedly. */
export function savedSearchFaults(body: unknown): FaultItem[] {
  const query: unknown = typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined;
  if (typeof query !== 'object' || query === null) return [];
  const values = query as Readonly<Record<string, unknown>>;
  const bounds = { windowMsMax: operationById('searchEvents').windowMsMax, nowMs: Number.POSITIVE_INFINITY };
  const faults = [...windowFaults(values, bounds), ...tagFaults(values), ...searchWordFaults(values['q'])];
  return faults.map((fault) => ({ ...fault, loc: ['body', ...fault.loc] }));
}

const CHANGES = ['name', 'scopes', 'expires_at', 'credit_ceiling', 'rate_limit'] as const;

/** A rotation allows no other change, and an overlap requires a rotation. */
export function keyPatchFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if ('rotate' in body) {
    const both = CHANGES.filter((name) => name in body);
    return both.map((name) => ({
      loc: ['body', name],
      msg: 'cannot be changed together with rotate: the new key copies the old settings',
      type: 'not_with_rotate',
    }));
  }
  if (!('overlap_seconds' in body)) return [];
  return [{ loc: ['body', 'overlap_seconds'], msg: 'applies only to a rotation: send rotate too', type: 'only_with_rotate' }];
}

export function ruleFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { rule, rules } = body as { readonly rule?: unknown; readonly rules?: unknown };
  const listed = Array.isArray(rules) ? rules.flatMap((each, index) => faultsOf(each, ['body', 'rules', index])) : [];
  return [...faultsOf(rule, ['body', 'rule']), ...listed];
}

function faultsOf(rule: unknown, place: FaultItem['loc']): FaultItem[] {
  if (typeof rule !== 'object' || rule === null) return [];
  const { kind, params = {}, cooldown_seconds: cooldown, min_consecutive: consecutive } = rule as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || typeof params !== 'object' || params === null) return [];
  const checked = checkRule({ kind, params, cooldownSeconds: numberOr(cooldown, 0), minConsecutive: numberOr(consecutive, 1) });
  return 'rule' in checked
    ? []
    : checked.faults.map(({ path, message }) => ({ loc: [...place, ...path], msg: message, type: 'invalid_rule' }));
}

function numberOr(value: unknown, usual: number): number {
  return typeof value === 'number' ? value : usual;
}

function oneOf<T>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((word) => word === value);
}

function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' ? (parseInstant(value) ?? undefined) : undefined;
}

function depthOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEPTH_MAX ? Number(value) : undefined;
}

/** Returns conflicts between fields. Skips fields that the schema rejects and fields that depend on them. */
export function exportBodyFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const sent = body as Readonly<Record<string, unknown>>;
  const dataset = oneOf(sent['dataset'] ?? DEFAULT_DATASET, DATASETS);
  const format = oneOf(sent['format'] ?? DEFAULT_FORMAT, FORMATS);
  const faults = exportFaults({
    dataset: dataset ?? DEFAULT_DATASET,
    format: format ?? DEFAULT_FORMAT,
    compression: oneOf(sent['compression'], COMPRESSIONS),
    tf: typeof sent['tf'] === 'string' ? sent['tf'] : undefined,
    depth: depthOf(sent['depth']),
    columns: textList(sent['columns']),
    fromMs: instantOf(sent['from']),
    toMs: instantOf(sent['to']),
  });
  const unsure = new Set([
    ...(dataset === undefined ? ['tf', 'depth', 'columns'] : []),
    ...(format === undefined ? ['compression', 'columns'] : []),
  ]);
  return faults.filter(({ field }) => !unsure.has(field)).map(({ field, message, type }) => ({ loc: ['body', field], msg: message, type }));
}

const INSTANT_TEXT =
  'must be an RFC 3339 time with Z or an offset (in a query the + of an offset must be sent as %2B), a whole number of milliseconds ' +
  'since the epoch, or empty';

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const SYMBOL_TEXT = 'must look like BTCUSD-PERP: at most 20 capital letters and digits, then USD-PERP';

const PATTERN_TEXTS: Readonly<Record<string, string>> = {
  symbol: SYMBOL_TEXT,
  symbols: SYMBOL_TEXT,
  cursor: 'must be a next_cursor from an earlier response of this list',
  'last-event-id': 'must be the id of a message from this stream, unchanged',
};

/** `place` is the fault's loc. */
export function faultText(place: readonly (string | number)[], message: string): string {
  if (message === 'must match format "instant-or-empty"') return INSTANT_TEXT;
  if (message.startsWith('must match pattern ')) return PATTERN_TEXTS[String(place[1])] ?? message;
  if (/^must have required property '.*'$/.test(message))
    return place.length === 1 && place[0] === 'body' ? 'is required: send a JSON body' : 'is required';
  if (message === 'must NOT have additional properties') return 'is not a field of this body';
  const words = /^(must be equal to one of the allowed values: ), (.+)$/.exec(message);
  if (words !== null) return `${words[1] ?? ''}${words[2] ?? ''}, or empty`;
  const types = /^must be ([a-z]+(?:,[a-z]+)*)$/.exec(message)?.[1]?.split(',') ?? [];
  const texts = types.flatMap((type) => TYPE_TEXTS[type] ?? []);
  return types.length > 0 && texts.length === types.length ? `must be ${texts.join(' or ')}` : message;
}

/** Part of a request. */
export type Place = 'query' | 'path' | 'header' | 'body';

/** @param data value of that part, in which a list has numbered places */
export function toFaultItem(place: Place, { instancePath, params, keyword, message = '' }: ErrorObject, data: unknown): FaultItem {
  const loc: (string | number)[] = [place];
  let at = data;
  for (const escaped of instancePath.split('/').slice(1)) {
    const key = escaped.replace(/~1/g, '/').replace(/~0/g, '~');
    loc.push(Array.isArray(at) ? Number(key) : key);
    at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  }
  const { missingProperty, additionalProperty, allowedValues } = params as {
    readonly missingProperty?: string;
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly unknown[];
  };
  const member = missingProperty ?? additionalProperty;
  if (member !== undefined) loc.push(member);
  return { loc, msg: faultText(loc, allowedValues === undefined ? message : `${message}: ${allowedValues.join(', ')}`), type: keyword };
}

const SYMBOL_FIELDS: ReadonlySet<unknown> = new Set(['symbol', 'symbols']);

/** Like the 404 of an unknown symbol. */
export function nameServed(fault: FaultItem, served: readonly string[]): FaultItem {
  if (fault.type !== 'pattern' || !SYMBOL_FIELDS.has(fault.loc[1]) || served.length === 0) return fault;
  return { ...fault, msg: `${fault.msg}. Served: ${served.join(', ')}` };
}
