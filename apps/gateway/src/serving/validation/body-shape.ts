import type { FaultItem } from '../errors/fault-item';
import { isForbiddenKey } from './forbidden-key';
import { illFormedText } from './ill-formed-text';

const BODY_DEPTH_MAX = 32;
/** Keys and list items together. */
const BODY_VALUES_MAX = 1_000;

type Place = readonly (string | number)[];

/** What is found in a body before any schema is asked. */
export interface BodyShape {
  /** Whether it is within the limits, so that a schema may look at it. */
  readonly isBounded: boolean;
  /** Keys and list items together, as far as they were counted. */
  readonly valueTotal: number;
  readonly faults: readonly FaultItem[];
}

function unbounded(valueTotal: number, loc: Place, msg: string, type: string): BodyShape {
  return { isBounded: false, valueTotal, faults: [{ loc, msg, type }] };
}

/**
 * Walks a parsed body for what no schema would find: keys that could reach a prototype, text that is not whole, numbers too large to hold.
 * It stops at the first limit that is passed, and then that one fault is all.
 */
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
        faults.push({ loc: at, msg: 'is a name that is never allowed', type: 'forbidden_key' });
      else open.push({ value: (value as Record<string | number, unknown>)[key], place: at, depth: depth + 1 });
    }
  }
  return { isBounded: true, valueTotal, faults };
}
