import { parse } from 'node:querystring';
import type { FaultItem } from '../errors/fault-item';
import type { Operation } from '../openapi/operations';
import { isForbiddenKey } from './forbidden-key';
import { illFormedText } from './ill-formed-text';

const QUERY_BYTES_MAX = 2_048;
const QUERY_PARAMETERS_MAX = 32;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/** The query of a request's target as sent, without `?`. */
export function rawQueryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/** What one query parameter may look like before its schema is asked. */
interface QueryShape {
  readonly repeatable: boolean;
  readonly wholeNumber: boolean;
  readonly bracketed: boolean;
}

/** Query parameters of an operation by name. */
export type QueryShapes = ReadonlyMap<string, QueryShape>;

export interface ReadQuery {
  /** Known parameters sent once (or repeatable), as text. A parameter with a fault is left out. */
  readonly values: Record<string, string | string[]>;
  readonly faults: readonly FaultItem[];
  /** Whether it is within the limits; beyond them nothing of it is read. */
  readonly isBounded: boolean;
}

/** The query parameters that an operation documents. */
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
  if (segments.some(isForbiddenKey)) return { loc: ['query', name], msg: 'is a name that is never allowed', type: 'forbidden_key' };
  if (shape === undefined && !furtherQuery)
    return { loc: ['query', name], msg: 'is not a parameter of this route', type: 'unknown_parameter' };
  // What a further parameter may be is known to the route that it is meant for.
  if (Array.isArray(value) && shape !== undefined && !shape.repeatable)
    return { loc: ['query', name], msg: 'was sent more than once', type: 'duplicate_parameter' };
  if (shape?.wholeNumber === true && !WHOLE_NUMBER.test(String(value)))
    return { loc: ['query', name], msg: 'must be a whole number', type: 'type' };
  return illFormedText(['query', name], [value].flat().join('')) ?? null;
}

function limitFault(rawQuery: string): FaultItem | null {
  if (Buffer.byteLength(rawQuery) > QUERY_BYTES_MAX)
    return { loc: ['query'], msg: `is longer than ${QUERY_BYTES_MAX} bytes`, type: 'query_too_long' };
  if (rawQuery.split('&').length > QUERY_PARAMETERS_MAX)
    return { loc: ['query'], msg: `has more than ${QUERY_PARAMETERS_MAX} parameters`, type: 'too_many_parameters' };
  return null;
}

/** Splits a raw query (without `?`) into parameters and finds what no schema would: unknown names, repetitions, limits. */
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
