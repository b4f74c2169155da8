import { type Fault, invalidArgument } from '@market-state/errors';

/** Last millisecond of the year 9999, the limit of RFC 3339. */
export const INSTANT_MS_MAX = 253_402_300_799_999;

type InstantField = readonly [field: string, ms: number];

/** For optional fields, 0 means absent. */
export function instantFaults(field: string, ms: number): Fault[] {
  if (Number.isInteger(ms) && ms >= 0 && ms <= INSTANT_MS_MAX) return [];
  return [{ field, message: 'must be between the epoch and the end of the year 9999', type: 'out_of_range' }];
}

/** Optional end: 0 for none, else an instant in the future. */
export function laterInstantFaults(field: string, ms: number, nowMs: number): Fault[] {
  if (ms === 0 || (ms > nowMs && instantFaults(field, ms).length === 0)) return [];
  return [{ field, message: 'must be 0 or in the future', type: 'out_of_range' }];
}

/** Each end is 0 if open. The second must be after the first. */
export function optionalSpanFaults([fromField, fromMs]: InstantField, [toField, toMs]: InstantField): Fault[] {
  const faults = [...instantFaults(fromField, fromMs), ...instantFaults(toField, toMs)];
  if (faults.length > 0 || fromMs === 0 || toMs === 0 || toMs > fromMs) return faults;
  return [{ field: toField, message: `must be after ${fromField}`, type: 'out_of_range' }];
}

/** A market's key: a symbol, or a symbol and a venue. */
const MARKET = /^[A-Z0-9]{1,20}USD-PERP(?:@[a-z0-9][a-z0-9-]{0,39})?$/;
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;
const ID_LENGTH_MAX = 255;
const DIGEST_SIZE_BYTES = 32;

/** Checks only the format. */
export function symbolFaults(symbol: string, field = 'symbol'): Fault[] {
  return MARKET.test(symbol) ? [] : [{ field, message: 'must look like BTCUSD-PERP', type: 'malformed' }];
}

/** Checks only the format. */
export function eventIdFaults(eventId: string): Fault[] {
  return EVENT_ID.test(eventId) ? [] : [{ field: 'event_id', message: 'must be evt_ and 26 characters', type: 'malformed' }];
}

/** Machine-generated id: printable ASCII characters. */
export function idFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  if (id.length >= 1 && id.length <= lengthMax && /^[\x20-\x7e]*$/.test(id)) return [];
  return [{ field, message: `must be 1 to ${lengthMax} printable ASCII characters`, type: 'malformed' }];
}

/** Like `idFaults`; empty means none. */
export function optionalIdFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  return id === '' ? [] : idFaults(field, id, lengthMax);
}

/** Inclusive bounds. */
export function rangeFaults(field: string, value: number, min: number, max: number): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [{ field, message: `must be between ${min} and ${max}`, type: 'out_of_range' }];
}

/** SHA-256 digest. */
export function digestFaults(field: string, digest: Uint8Array): Fault[] {
  return digest.length === DIGEST_SIZE_BYTES ? [] : [{ field, message: `must be ${DIGEST_SIZE_BYTES} bytes`, type: 'wrong_length' }];
}

/** @throws ServiceError INVALID_ARGUMENT with all faults, if there are any */
export function refuseFaults(...found: readonly (readonly Fault[])[]): void {
  const faults = found.flat();
  if (faults.length > 0) throw invalidArgument(faults);
}

const CONTROL = /\p{Cc}/u;
const NAME_LENGTH_MAX = 100;

/** Length in code points, inclusive bounds. */
export function lengthFaults(field: string, text: string, min: number, max: number): Fault[] {
  const length = [...text].length;
  if (length >= min && length <= max) return [];
  return [{ field, message: `must be ${min} to ${max} characters`, type: length < min ? 'too_short' : 'too_long' }];
}

/** Rejects control characters; Postgres cannot store NUL. */
export function controlFaults(field: string, text: string): Fault[] {
  return CONTROL.test(text) ? [{ field, message: 'must not contain control characters', type: 'malformed' }] : [];
}

/** Display name: 1 to 100 characters without control characters. */
export function nameFaults(field: string, name: string): Fault[] {
  if (lengthFaults(field, name, 1, NAME_LENGTH_MAX).length === 0 && !CONTROL.test(name)) return [];
  return [{ field, message: `must be 1 to ${NAME_LENGTH_MAX} characters without control characters`, type: 'out_of_range' }];
}
