import { findEvents, type SearchedUpstreams } from '../../clients/packets/find-events';
import type { Handler } from '../../serving/answers/handler';

export function searchEvents(upstreams: SearchedUpstreams, now: () => number): Handler<'searchEvents'> {
  const find = findEvents(upstreams, now);
  return (call) => find(call, call.input.query);
}
