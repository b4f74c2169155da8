import type { FaultItem } from '../http/fault-item';
import { faultText } from './fault-text';

/** A fault as the validator tells it: a slash-separated path, a message and a code with the validator's own ending. */
export interface ValidatorFault {
  readonly path: string;
  readonly message: string;
  readonly errorCode?: string | undefined;
}

const PLACES: Readonly<Record<string, string>> = { params: 'path', headers: 'header' };

function child(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, key) ? (data as Record<string, unknown>)[key] : undefined;
}

/**
 * Names and indexes of a path in the data it speaks of. A key that holds slashes is put together again where the data has
 * it; an index is a number where the data has a list.
 */
function locate(segments: readonly string[], data: unknown): (string | number)[] {
  const loc: (string | number)[] = [];
  let rest = [...segments];
  let at = data;
  while (rest.length > 0) {
    let taken = 1;
    while (taken < rest.length && child(at, rest.slice(0, taken).join('/')) === undefined) taken += 1;
    if (child(at, rest.slice(0, taken).join('/')) === undefined) taken = typeof at === 'object' && at !== null && loc.length > 0 ? rest.length : 1;
    const key = rest.slice(0, taken).join('/');
    loc.push(Array.isArray(at) && /^\d+$/.test(key) ? Number(key) : key.replace(/~1/g, '/').replace(/~0/g, '~'));
    at = child(at, key);
    rest = rest.slice(taken);
  }
  return loc;
}

/** The 422 item of a validator's fault. `request` holds query, params, headers and body. */
export function toFaultItem(fault: ValidatorFault, request: unknown): FaultItem {
  const [place = '', ...names] = locate(fault.path.split('/').filter((segment) => segment !== ''), request);
  const loc = [PLACES[place] ?? place, ...names];
  return {
    loc,
    msg: faultText(loc, fault.message),
    type: fault.errorCode?.replace(/\.openapi\.validation$/, '') ?? 'invalid',
  };
}
