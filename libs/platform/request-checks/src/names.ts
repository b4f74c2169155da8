import type { Fault } from '@market-state/errors';

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
