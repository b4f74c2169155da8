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

export interface ValidatorFault {
  readonly path: string;
  readonly message: string;
  readonly errorCode?: string | undefined;
}

const PLACES: Readonly<Record<string, string>> = { params: 'path', headers: 'header' };

function child(data: unknown, key: string): unknown {
  return isContainer(data) && Object.hasOwn(data, key) ? data[key] : undefined;
}

function isContainer(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

/** Sorted by length; cached, since a body may have many and as many faults. */
const slashKeys = new WeakMap<object, readonly string[]>();

function slashKeysOf(data: object): readonly string[] {
  const known = slashKeys.get(data);
  if (known !== undefined) return known;
  const found = Object.keys(data)
    .filter((key) => key.includes('/'))
    .sort((a, b) => a.length - b.length);
  slashKeys.set(data, found);
  return found;
}

/**
 * Up to the first slash, or the shortest key in the data that contains slashes. If neither exists, the rest is one
 * missing key.
 */
function firstName(path: string, data: unknown, isRoot: boolean): string {
  const slash = path.indexOf('/');
  const plain = slash === -1 ? path : path.slice(0, slash);
  if (slash === -1 || child(data, plain) !== undefined || !isContainer(data)) return plain;
  const known = slashKeysOf(data).find((key) => path.startsWith(key) && (path.length === key.length || path[key.length] === '/'));
  return known ?? (isRoot ? plain : path);
}

/** An index is a number if the data has a list. */
function locate(path: string, data: unknown): (string | number)[] {
  const loc: (string | number)[] = [];
  let rest = path;
  let at = data;
  while (rest !== '') {
    const key = firstName(rest, at, loc.length === 0);
    loc.push(Array.isArray(at) && /^\d+$/.test(key) ? Number(key) : key.replace(/~1/g, '/').replace(/~0/g, '~'));
    at = child(at, key);
    rest = rest.slice(key.length + 1);
  }
  return loc;
}

export function toFaultItem(fault: ValidatorFault, request: unknown): FaultItem {
  const [place = '', ...names] = locate(fault.path.replace(/^\//, ''), request);
  const loc = [PLACES[place] ?? place, ...names];
  return {
    loc,
    msg: faultText(loc, fault.message),
    type: fault.errorCode?.replace(/\.openapi\.validation$/, '') ?? 'invalid',
  };
}

const SYMBOL_FIELDS: ReadonlySet<unknown> = new Set(['symbol', 'symbols']);

/** Like the 404 of an unknown symbol. */
export function nameServed(fault: FaultItem, served: readonly string[]): FaultItem {
  if (fault.type !== 'pattern' || !SYMBOL_FIELDS.has(fault.loc[1]) || served.length === 0) return fault;
  return { ...fault, msg: `${fault.msg}. Served: ${served.join(', ')}` };
}
