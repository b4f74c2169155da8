import type { Fault } from '@market-state/errors';

/** `evt_` and 26 Crockford base32 characters, lower case. */
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

/** What is wrong with the shape of an event id. */
export function eventIdFaults(eventId: string): Fault[] {
  return EVENT_ID.test(eventId) ? [] : [{ field: 'event_id', message: 'must be evt_ and 26 characters', type: 'malformed' }];
}
