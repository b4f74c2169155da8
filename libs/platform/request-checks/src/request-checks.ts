import { type Fault, invalidArgument } from '@market-state/errors';

/** The last millisecond of the year 9999, the latest instant that RFC 3339 can write. */
export const INSTANT_MS_MAX = 253_402_300_799_999;

/** An instant of a request, in milliseconds since the epoch, and its field. */
type InstantField = readonly [field: string, ms: number];

/** An instant, milliseconds since the epoch, up to the end of the year 9999. Where a field may be absent, 0 is that. */
export function instantFaults(field: string, ms: number): Fault[] {
  if (Number.isInteger(ms) && ms >= 0 && ms <= INSTANT_MS_MAX) return [];
  return [{ field, message: 'must lie between the epoch and the end of the year 9999', type: 'out_of_range' }];
}

/** The end of something: 0 for none, else an instant after now. */
export function laterInstantFaults(field: string, ms: number, nowMs: number): Fault[] {
  if (ms === 0 || (ms > nowMs && instantFaults(field, ms).length === 0)) return [];
  return [{ field, message: 'must be 0 or lie in the future', type: 'out_of_range' }];
}

/** Both ends of a span, each 0 where it is not bounded; where both are given, the second lies after the first. */
export function optionalSpanFaults([fromField, fromMs]: InstantField, [toField, toMs]: InstantField): Fault[] {
  const faults = [...instantFaults(fromField, fromMs), ...instantFaults(toField, toMs)];
  if (faults.length > 0 || fromMs === 0 || toMs === 0 || toMs > fromMs) return faults;
  return [{ field: toField, message: `must lie after ${fromField}`, type: 'out_of_range' }];
}

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
/** `evt_` and 26 characters of Crockford's base32, lower case. */
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;
const ID_LENGTH_MAX = 255;

/** The form of a symbol. Whether it is served is asked later. */
export function symbolFaults(symbol: string, field = 'symbol'): Fault[] {
  return SYMBOL.test(symbol) ? [] : [{ field, message: 'must look like BTCUSD-PERP', type: 'malformed' }];
}

/** The form of an event id. */
export function eventIdFaults(eventId: string): Fault[] {
  return EVENT_ID.test(eventId) ? [] : [{ field: 'event_id', message: 'must be evt_ and 26 characters', type: 'malformed' }];
}

/** An id, or another word that machines make: printable ASCII characters. */
export function idFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  if (id.length >= 1 && id.length <= lengthMax && /^[\x20-\x7e]*$/.test(id)) return [];
  return [{ field, message: `must be 1 to ${lengthMax} printable ASCII characters`, type: 'malformed' }];
}

/** The same, where empty means none. */
export function optionalIdFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  return id === '' ? [] : idFaults(field, id, lengthMax);
}

/** A whole number from `min` to `max`, both allowed. */
export function rangeFaults(field: string, value: number, min: number, max: number): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [{ field, message: `must be between ${min} and ${max}`, type: 'out_of_range' }];
}

/** @throws ServiceError INVALID_ARGUMENT with every fault found, if any was */
export function refuseFaults(...found: readonly (readonly Fault[])[]): void {
  const faults = found.flat();
  if (faults.length > 0) throw invalidArgument(faults);
}

const CONTROL = /\p{Cc}/u;
const NAME_LENGTH_MAX = 100;

/** A text of so many code points. */
export function lengthFaults(field: string, text: string, min: number, max: number): Fault[] {
  const length = [...text].length;
  if (length >= min && length <= max) return [];
  return [{ field, message: `must be ${min} to ${max} characters`, type: length < min ? 'too_short' : 'too_long' }];
}

/** A text without control characters: Postgres keeps no NUL, and nobody means the others. */
export function controlFaults(field: string, text: string): Fault[] {
  return CONTROL.test(text) ? [{ field, message: 'must hold no control character', type: 'malformed' }] : [];
}

/** A name that people read: 1 to 100 characters, none of them a control character. */
export function nameFaults(field: string, name: string): Fault[] {
  if (lengthFaults(field, name, 1, NAME_LENGTH_MAX).length === 0 && !CONTROL.test(name)) return [];
  return [{ field, message: `must be 1 to ${NAME_LENGTH_MAX} characters, none of them a control character`, type: 'out_of_range' }];
}
