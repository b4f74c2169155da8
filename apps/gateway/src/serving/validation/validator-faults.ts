import type { ErrorObject } from 'ajv/dist/2020';
import type { FaultItem } from '../errors/problem';

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
