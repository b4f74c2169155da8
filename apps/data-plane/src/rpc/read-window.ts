import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import { completenessOf, factsAfter } from '../window/completeness';
import { toDataRow } from '../window/data-row';
import { type OpenWindow, openWindow } from '../window/open-window';
import { PAGE_BYTES, RowBatcher } from '../window/row-batches';
import { Tally } from '../window/tally';
import { toProtoGap } from '../window/to-proto-gap';
import { type Place, WINDOW_START } from '../window/window';
import { windowFaults } from '../window/window-request';
import { mergeByPlace, placedPackets, type Shortfalls, storedRows } from '../window/window-rows';
import { readWindowToken, windowTokenFaults, writeWindowToken } from '../window/window-token';
import type { RpcDeps } from './deps';
import { refuseUnserved } from './served';
import { toProtoSourceKind } from '@market-state/live-market';

const WINDOW_MS_MAX = 3_600_000;
const PAGE_ROWS_MAX = 5_000;

/** One page of a window. Holds two reads' rows and one message at a time. */
export async function* readWindow(
  deps: RpcDeps,
  request: marketData.ReadWindowRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.ReadWindowResponse> {
  refuseRequest(request);
  refuseUnserved(deps, request.symbol);
  const venue = deps.venues.of(request.symbol);
  const cursor = readWindowToken(request.pageToken, request);
  const open = await openWindow(deps, venue, request, cursor?.pinned);
  const page = readPage(deps, open, cursor?.after ?? WINDOW_START, new Tally(cursor?.sent), request.pageSize || PAGE_ROWS_MAX, signal);
  let end: PageEnd | undefined;
  for await (const part of page) {
    if ('rows' in part) yield { rows: part.rows, end: undefined };
    else end = part;
  }
  if (end === undefined) return;
  const { sent, next } = end;
  const { asOfMs, toOrdinal } = open.window;
  yield {
    rows: [],
    end: {
      venue: venue.venue,
      sourceKind: toProtoSourceKind(venue.sourceKind),
      asOfMs,
      gaps: open.gaps.map((gap) => toProtoGap(gap)),
      nextPageToken: next === undefined ? '' : writeWindowToken(request, { pinned: { asOfMs, toOrdinal }, after: next, sent }),
      completeness: completenessOf(factsAfter(open.facts, end.shortfalls), sent, next !== undefined),
    },
  };
}

function refuseRequest(request: marketData.ReadWindowRequest): void {
  const { pageSize, pageToken } = request;
  refuseFaults(
    windowFaults(request, WINDOW_MS_MAX),
    pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_ROWS_MAX),
    windowTokenFaults(pageToken, request),
  );
}

interface PageEnd {
  readonly sent: Tally;
  /** Where the next page begins; undefined at the end of the window. */
  readonly next: Place | undefined;
  readonly shortfalls: Shortfalls;
}

/** Messages of rows, then how the page ends. */
async function* readPage(
  deps: RpcDeps,
  { window, logChannels }: OpenWindow,
  after: Place,
  sent: Tally,
  pageRows: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly rows: marketData.DataRow[] } | PageEnd> {
  const shortfalls: Shortfalls = { packetsUnreachable: false, archiveUnreadable: false };
  let place = after;
  let rowTotal = 0;
  let next: Place | undefined;
  const batch = new RowBatcher(PAGE_BYTES);
  const rows = storedRows(deps, window, logChannels, after, shortfalls, signal, { rowsMax: pageRows + 1 });
  for await (const item of mergeByPlace(rows, placedPackets(deps, window, after, shortfalls))) {
    if (rowTotal === pageRows) {
      next = place;
      break;
    }
    const row = 'packet' in item ? item.packet : toDataRow(item);
    place = { ordinal: row.sequence, packetWindowEndMs: row.packetWindowEndMs };
    rowTotal += 1;
    sent.add(row);
    const full = batch.add(row);
    if (full !== undefined) yield { rows: full };
  }
  if (!batch.isEmpty) yield { rows: batch.take() };
  if (!signal.aborted) yield { sent, next, shortfalls };
}
