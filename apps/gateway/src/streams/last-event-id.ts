import { InvalidRequest } from '../serving/errors/fault-item';
import { parsePosition, type StreamPosition } from '../serving/handlers/stream-position';

/** 422 for an id that is no position in the stream asked for. */
export function refuseId(fault: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['header', 'last-event-id'], msg: fault, type: 'event_id' }]);
}

/** The position that `Last-Event-ID` names; null without one. Throws 422 when it is no id of ours. */
export function readLastEventId(header: unknown): StreamPosition | null {
  if (header === undefined || header === '') return null;
  const position = typeof header === 'string' ? parsePosition(header) : null;
  if (position === null) throw refuseId('must be the id of a message of this stream: <epoch>-<ordinal>-<window end ms>');
  return position;
}
