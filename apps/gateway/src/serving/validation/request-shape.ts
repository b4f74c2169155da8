import { parse } from 'node:querystring';
import type { FaultItem } from '../errors/problem';
import type { Operation } from '../openapi/operations';

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** Surrogates have no UTF-8 encoding; the databases reject U+0000. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Surrogate}/u, 'half of a character (a lone surrogate)'],
  [/\0/, 'the character U+0000'],
];

/** `noun` begins the message, such as `has a name that `. */
export function illFormedText(loc: FaultItem['loc'], text: string, noun = ''): FaultItem | undefined {
  const found = FAULTS.find(([pattern]) => pattern.test(text));
  return found === undefined ? undefined : { loc, msg: `${noun}contains ${found[1]}`, type: 'ill_formed_text' };
}

const BODY_DEPTH_MAX = 32;
/** Keys and list items together. */
const BODY_VALUES_MAX = 1_000;

type Place = readonly (string | number)[];

interface BodyShape {
  /** No schema must read it otherwise. */
  readonly isBounded: boolean;
  readonly valueTotal: number;
  readonly faults: readonly FaultItem[];
}

function unbounded(valueTotal: number, loc: Place, msg: string, type: string): BodyShape {
  return { isBounded: false, valueTotal, faults: [{ loc, msg, type }] };
}

/** Faults that schemas miss. Stops at the first exceeded limit and reports only that. */
export function bodyShape(body: unknown): BodyShape {
  const faults: FaultItem[] = [];
  let valueTotal = 0;
  const open: { value: unknown; place: Place; depth: number }[] = [{ value: body, place: ['body'], depth: 1 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, place, depth } = entry;
    const illFormed = typeof value === 'string' ? illFormedText(place, value) : undefined;
    if (illFormed !== undefined) faults.push(illFormed);
    if (typeof value === 'number' && !Number.isFinite(value))
      faults.push({ loc: place, msg: 'is too large for a number', type: 'out_of_range' });
    if (typeof value !== 'object' || value === null) continue;
    if (depth > BODY_DEPTH_MAX) return unbounded(valueTotal, place, `is nested deeper than ${BODY_DEPTH_MAX} levels`, 'too_deep');
    const isList = Array.isArray(value);
    const keys = isList ? value.keys() : Object.keys(value);
    valueTotal += isList ? value.length : (keys as string[]).length;
    if (valueTotal > BODY_VALUES_MAX)
      return unbounded(valueTotal, ['body'], `has more than ${BODY_VALUES_MAX} values (fields and list items together)`, 'too_many_values');
    for (const key of keys) {
      const at = [...place, key];
      const illFormedName = typeof key === 'string' ? illFormedText(place, key, 'has a name that ') : undefined;
      if (illFormedName !== undefined) faults.push(illFormedName);
      else if (typeof key === 'string' && isForbiddenKey(key))
        faults.push({ loc: at, msg: 'is never allowed as a name', type: 'forbidden_key' });
      else open.push({ value: (value as Record<string | number, unknown>)[key], place: at, depth: depth + 1 });
    }
  }
  return { isBounded: true, valueTotal, faults };
}

const QUERY_BYTES_MAX = 2_048;
const QUERY_PARAMETERS_MAX = 32;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/** Schemas would also accept other notations, such as `1e3`. */
export function wholeNumberFault(place: 'query' | 'header', name: string, value: unknown): FaultItem | null {
  return WHOLE_NUMBER.test(String(value)) ? null : { loc: [place, name], msg: 'must be a whole number', type: 'type' };
}

export function rawQueryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

interface QueryShape {
  readonly repeatable: boolean;
  readonly wholeNumber: boolean;
  readonly bracketed: boolean;
}

export type QueryShapes = ReadonlyMap<string, QueryShape>;

export interface ReadQuery {
  /** Without those that have a fault. */
  readonly values: Record<string, string | string[]>;
  readonly faults: readonly FaultItem[];
  /** Nothing is read otherwise. */
  readonly isBounded: boolean;
}

export function queryShapes(operation: Operation): QueryShapes {
  return new Map(
    operation.parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => [
        parameter.name,
        {
          repeatable: parameter.schema.type === 'array',
          wholeNumber: parameter.schema.type === 'integer',
          bracketed: parameter['style'] === 'deepObject',
        },
      ]),
  );
}

function faultOf(name: string, value: string | string[], shape: QueryShape | undefined, furtherQuery: boolean): FaultItem | null {
  const segments = name.split(/[[\]]+/);
  if (segments.some(isForbiddenKey)) return { loc: ['query', name], msg: 'is never allowed as a name', type: 'forbidden_key' };
  if (shape === undefined && !furtherQuery)
    return { loc: ['query', name], msg: 'is not a parameter of this route', type: 'unknown_parameter' };
  // Only the route knows which further parameters are valid.
  if (Array.isArray(value) && shape !== undefined && !shape.repeatable)
    return { loc: ['query', name], msg: 'was sent more than once', type: 'duplicate_parameter' };
  const wrongNumber = shape?.wholeNumber === true ? wholeNumberFault('query', name, value) : null;
  return wrongNumber ?? illFormedText(['query', name], [value].flat().join('')) ?? null;
}

function limitFault(rawQuery: string): FaultItem | null {
  if (Buffer.byteLength(rawQuery) > QUERY_BYTES_MAX)
    return { loc: ['query'], msg: `is longer than ${QUERY_BYTES_MAX} bytes`, type: 'query_too_long' };
  if (rawQuery.split('&').length > QUERY_PARAMETERS_MAX)
    return { loc: ['query'], msg: `has more than ${QUERY_PARAMETERS_MAX} parameters`, type: 'too_many_parameters' };
  return null;
}

/** Reports unknown names, repetitions and exceeded limits, which schemas miss. */
export function readQuery(rawQuery: string, shapes: QueryShapes, furtherQuery: boolean): ReadQuery {
  if (rawQuery === '') return { values: {}, faults: [], isBounded: true };
  const beyond = limitFault(rawQuery);
  if (beyond !== null) return { values: {}, faults: [beyond], isBounded: false };
  const parsed = parse(rawQuery, '&', '=', { maxKeys: 0 });
  const values: Record<string, string | string[]> = {};
  const faults: FaultItem[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (value === undefined) continue;
    const shape = shapes.get(name) ?? bracketShape(name, shapes);
    const fault = faultOf(name, value, shape, furtherQuery);
    if (fault !== null) faults.push(fault);
    else if (shape !== undefined) values[name] = value;
  }
  return { values, faults, isBounded: true };
}

function bracketShape(name: string, shapes: QueryShapes): QueryShape | undefined {
  const base = /^([^[\]]+)\[[^[\]]+\]$/.exec(name)?.[1];
  const shape = base === undefined ? undefined : shapes.get(base);
  return shape?.bracketed === true ? shape : undefined;
}
