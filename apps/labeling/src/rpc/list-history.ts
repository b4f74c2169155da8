import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { symbolFaults } from '@market-state/request-checks';
import type { EventIndex } from '../events/event-index';
import { fromEventToken, toEventToken } from '../events/event-token';
import { readEventConditions } from './event-filter-request';
import { pageFaults, pageSizeOf } from './page-size';
import { assertServed } from './assert-served';
import { toProtoEvent } from './wire';

export interface ListHistoryDeps {
  readonly events: Pick<EventIndex, 'list'>;
  readonly symbols: readonly string[];
}

export async function listHistory(
  { events, symbols }: ListHistoryDeps,
  request: labeling.ListHistoryRequest,
): Promise<labeling.ListHistoryResponse> {
  const { filter, faults } = readEventConditions(request);
  const beyond = request.pageToken === '' ? null : fromEventToken(filter, request.pageToken);
  const all = [...(request.symbol === '' ? symbolFaults('') : []), ...faults, ...pageFaults(request, beyond)];
  if (all.length > 0 || beyond === undefined) throw invalidArgument(all);
  assertServed([request.symbol], symbols);
  const pageSize = pageSizeOf(request);
  const found = await events.list(filter, 'oldest_first', beyond, pageSize + 1);
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  return {
    events: page.map(toProtoEvent),
    nextPageToken: found.length > pageSize && last !== undefined ? toEventToken(filter, last) : '',
  };
}
