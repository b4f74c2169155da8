import { InvalidRequest } from '../serving/errors/fault-item';
import { parsePlace, type Place } from '../serving/handlers/place';

/** 422 for an id that is no place of the stream asked for. */
export function refuseId(fault: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['header', 'last-event-id'], msg: fault, type: 'event_id' }]);
}

/** The place that `Last-Event-ID` names; null without one. Throws 422 when it is no id of ours. */
export function readLastEventId(header: unknown): Place | null {
  if (header === undefined || header === '') return null;
  const place = typeof header === 'string' ? parsePlace(header) : null;
  if (place === null) throw refuseId('must be the id of a message of this stream: <epoch>-<ordinal>-<window end ms>');
  return place;
}
