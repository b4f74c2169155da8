import { WORKLOAD_FAMILIES } from '@market-state/pricing';
import type { FaultItem } from '../errors/problem';
import { operationById, type Operation } from '../openapi/operations';
import { inPeoplesUnits, parseInstant } from '../meta/instant';
import { definitions } from '../meta/definitions';
import { CHANNEL_NAMES } from '../../clients/market-data-client';

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

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
const NAMES_MAX = 5;

export function symbolListFaults({ parameters }: Operation, values: Readonly<Record<string, unknown>>): FaultItem[] {
  const schema = parameters.find(({ name }) => name === 'symbol')?.schema;
  const [listMax, list] = [schema?.['x-list-max'], values['symbol']];
  if (typeof listMax !== 'number' || typeof list !== 'string' || !list.includes(',')) return [];
  const names = list.split(',');
  if (names.length > listMax) return [fault(`names ${names.length} symbols, but a stream takes at most ${listMax}`, 'too_many_symbols')];
  const malformed = names.filter((name) => !SYMBOL.test(name));
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
] as const;

interface WindowBounds {
  /** Milliseconds; null for any length. */
  readonly windowMsMax: number | null;
  /** Latest instant with data: later windows are in the future. */
  readonly nowMs: number;
}

/** Ignores empty and malformed bounds. */
export function windowFaults(values: Readonly<Record<string, unknown>>, { windowMsMax, nowMs }: WindowBounds): FaultItem[] {
  return WINDOWS.flatMap(([first, last]) => {
    const startMs = parseInstant(String(values[first] ?? ''));
    const endMs = parseInstant(String(values[last] ?? ''));
    if (startMs === null) return [];
    const faults: FaultItem[] = [];
    if (endMs !== null && startMs >= endMs) faults.push({ loc: ['query', first], msg: `must be before ${last}`, type: 'window' });
    else if (startMs > nowMs) faults.push({ loc: ['query', first], msg: 'must not be in the future', type: 'in_the_future' });
    if (endMs !== null && windowMsMax !== null && endMs - startMs > windowMsMax)
      faults.push({ loc: ['query', last], msg: `must be at most ${inPeoplesUnits(windowMsMax)} after ${first}`, type: 'window_too_long' });
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
