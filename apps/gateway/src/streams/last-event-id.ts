import { InvalidRequest } from '../serving/errors/fault-item';
import { parsePosition, type StreamPosition } from '../serving/handlers/stream-position';
import { parsePositions, type Positions } from './position-vector';

/** What `Last-Event-ID` names: a position in one symbol, or one in each of several. */
export type LastEventId =
  | { readonly of: 'one'; readonly position: StreamPosition }
  | { readonly of: 'several'; readonly positions: Positions };

/** 422 for an id that is no position in the stream asked for. */
export function refuseId(fault: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['header', 'last-event-id'], msg: fault, type: 'event_id' }]);
}

/** What `Last-Event-ID` names; null without one. Throws 422 when it is no id of ours. */
export function readLastEventId(header: unknown): LastEventId | null {
  if (header === undefined || header === '') return null;
  if (typeof header === 'string') {
    const position = parsePosition(header);
    if (position !== null) return { of: 'one', position };
    const positions = parsePositions(header);
    if (positions !== null) return { of: 'several', positions };
  }
  throw refuseId('must be the id of a message of this stream, as it was sent');
}

/** The position of a stream of one symbol: an id of several that holds it will do. Throws 422 when the id does not hold it. */
export function positionIn(id: LastEventId | null, symbol: string): StreamPosition | null {
  if (id === null) return null;
  if (id.of === 'one') return id.position;
  const position = id.positions.get(symbol);
  if (position !== undefined) return position;
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, and has no position in ${symbol}`);
}

/**
 * The positions in a stream of several symbols (null: of all), as far as the id holds them. Throws 422 for an id of a stream of one symbol,
 * which does not say of which, and for one that holds none of the symbols.
 */
export function positionsIn(id: LastEventId | null, symbols: readonly string[] | null): Positions {
  if (id === null) return new Map();
  if (id.of === 'one')
    throw refuseId('is the id of a stream of one symbol, and this is a stream of several: resume the stream of that symbol alone');
  const held = [...id.positions].filter(([symbol]) => symbols?.includes(symbol) ?? true);
  if (held.length > 0) return new Map(held);
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, and this stream has none of them`);
}

const NAMES_MAX = 5;

function namesOf(positions: Positions): string {
  const names = [...positions.keys()];
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
