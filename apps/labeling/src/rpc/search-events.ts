import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { fromEventToken } from '../events/event-token';
import { searchEvents as search, type SearchDeps } from '../events/search-events';
import { readEventConditions } from './event-filter-request';
import { pageFaults, pageSizeOf } from './page-size';
import { assertServed } from './assert-served';
import { toProtoPacket } from './wire';

export interface SearchEventsDeps extends SearchDeps {
  readonly symbols: readonly string[];
}

export async function searchEvents(
  { symbols, ...deps }: SearchEventsDeps,
  request: labeling.SearchEventsRequest,
): Promise<labeling.SearchEventsResponse> {
  const { filter, faults } = readEventConditions(request);
  const beyond = request.pageToken === '' ? null : fromEventToken(filter, request.pageToken);
  const all = [...faults, ...pageFaults(request, beyond)];
  if (all.length > 0 || beyond === undefined) throw invalidArgument(all);
  if (filter.symbol !== null) assertServed([filter.symbol], symbols);
  const order = request.ascending ? 'oldest_first' : 'newest_first';
  const { events, nextPageToken } = await search(deps, filter, order, beyond, pageSizeOf(request));
  return {
    events: events.map(({ packet, words }) => ({
      packet: toProtoPacket(packet),
      words: words.map(({ word, inState, tags, reasons }) => ({ word, inState, tags: [...tags], reasons: [...reasons] })),
    })),
    nextPageToken,
  };
}
