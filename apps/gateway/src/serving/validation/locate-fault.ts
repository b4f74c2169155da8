import type { FaultItem } from '../errors/fault-item';
import { faultText } from './fault-text';

/** A fault as the validator tells it: a slash-separated path, a message and a code with the validator's own ending. */
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

/** Keys that hold slashes, the shortest first, by what has them: a body may have many, and as many faults. */
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
 * The first name of a path in the data it speaks of: up to the first slash, or a key of the data that holds slashes, the shortest. Where
 * the data has neither, the rest is one name: a key that is missing.
 */
function firstName(path: string, data: unknown, isRoot: boolean): string {
  const slash = path.indexOf('/');
  const plain = slash === -1 ? path : path.slice(0, slash);
  if (slash === -1 || child(data, plain) !== undefined || !isContainer(data)) return plain;
  const known = slashKeysOf(data).find((key) => path.startsWith(key) && (path.length === key.length || path[key.length] === '/'));
  return known ?? (isRoot ? plain : path);
}

/** Names and indexes of a path in the data it speaks of; an index is a number where the data has a list. */
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

/** The 422 item of a validator's fault. `request` holds query, params, headers and body. */
export function toFaultItem(fault: ValidatorFault, request: unknown): FaultItem {
  const [place = '', ...names] = locate(fault.path.replace(/^\//, ''), request);
  const loc = [PLACES[place] ?? place, ...names];
  return {
    loc,
    msg: faultText(loc, fault.message),
    type: fault.errorCode?.replace(/\.openapi\.validation$/, '') ?? 'invalid',
  };
}
