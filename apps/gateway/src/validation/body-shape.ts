import type { FaultItem } from '../http/fault-item';
import { isForbiddenKey } from './forbidden-key';

const BODY_DEPTH_MAX = 32;
const BODY_KEYS_MAX = 1_000;

/** Half of a character: such text has no bytes in UTF-8, so it would come out as another one. */
const HALF_CHARACTER = /\p{Surrogate}/u;

type Place = readonly (string | number)[];

/** Faults of a parsed body that no schema would find: too deep, too many keys, keys that could reach a prototype, text that is not whole, numbers too large to hold. */
export function bodyShapeFaults(body: unknown): FaultItem[] {
  const faults: FaultItem[] = [];
  let keyTotal = 0;
  const open: { value: unknown; place: Place; depth: number }[] = [{ value: body, place: ['body'], depth: 1 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, place, depth } = entry;
    if (typeof value === 'string' && HALF_CHARACTER.test(value)) faults.push({ loc: place, msg: 'holds half of a character (a lone surrogate)', type: 'ill_formed_text' });
    if (typeof value === 'number' && !Number.isFinite(value)) faults.push({ loc: place, msg: 'is too large for a number', type: 'out_of_range' });
    if (typeof value !== 'object' || value === null) continue;
    if (depth > BODY_DEPTH_MAX) {
      faults.push({ loc: place, msg: `is nested deeper than ${BODY_DEPTH_MAX} levels`, type: 'too_deep' });
      continue;
    }
    const isList = Array.isArray(value);
    for (const [key, inner] of Object.entries(value)) {
      const at = [...place, isList ? Number(key) : key];
      if (!isList) keyTotal += 1;
      if (HALF_CHARACTER.test(key)) faults.push({ loc: place, msg: 'has a name that holds half of a character (a lone surrogate)', type: 'ill_formed_text' });
      else if (!isList && isForbiddenKey(key)) faults.push({ loc: at, msg: 'is a name that is never allowed', type: 'forbidden_key' });
      else open.push({ value: inner, place: at, depth: depth + 1 });
    }
  }
  if (keyTotal > BODY_KEYS_MAX) faults.push({ loc: ['body'], msg: `has more than ${BODY_KEYS_MAX} keys`, type: 'too_many_keys' });
  return faults;
}
