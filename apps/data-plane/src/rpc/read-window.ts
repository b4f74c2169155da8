import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { toProtoSource } from '@market-state/live-market';
import { readToken, writeToken } from '@market-state/page-token';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { completenessOf, factsAfter, type Sent, Tally } from '../window/completeness';
import { toDataRow, PAGE_BYTES, RowBatcher, toProtoGap } from '../window/sent-rows';
import { openPinned, packetFacts, type Pinned, type PinnedWindow, pinWindow } from '../window/open-window';
import { type Place, WINDOW_START, windowFaults, type WindowRequest } from '../window/window';
import { mergeByPosition, placedPackets, type Shortfalls, storedRows } from '../window/window-rows';
import { type RpcDeps, refuseUnserved } from './deps';

interface WindowCursor {
  readonly pinned: Pinned;
  readonly after: Place;
  readonly sent: Sent;
}

const WHOLE = z.int().min(0);
const CURSOR = z.tuple([
  z.literal('w1'),
  z.string(),
  WHOLE,
  WHOLE,
  z.string(),
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  z.string().regex(/^[0-9a-f]{64}$/),
]);

function writeWindowToken({ symbol, startMs, endMs, channels }: WindowRequest, { pinned, after, sent }: WindowCursor): string {
  const bound = ['w1', symbol, startMs, endMs, boundChannels(channels)];
  const place = [
    pinned.asOfMs,
    pinned.toOrdinal,
    after.ordinal,
    after.packetWindowEndMs,
    sent.logRows,
    sent.packets,
    sent.chain.toString('hex'),
  ];
  return writeToken([...bound, ...place]);
}

/** Undefined unless it belongs to the same window. */
function readWindowToken(token: string, request: WindowRequest): WindowCursor | undefined {
  const values = readToken(CURSOR, token);
  if (values === undefined) return undefined;
  const [, symbol, startMs, endMs, channels, asOfMs, toOrdinal, ordinal, packetWindowEndMs, logRows, packets, chain] = values;
  const isBound =
    symbol === request.symbol && startMs === request.startMs && endMs === request.endMs && channels === boundChannels(request.channels);
  if (!isBound || (request.asOfMs !== 0 && asOfMs > request.asOfMs)) return undefined;
  return {
    pinned: { asOfMs, toOrdinal },
    after: { ordinal, packetWindowEndMs },
    sent: { logRows, packets, chain: Buffer.from(chain, 'hex') },
  };
}

function windowTokenFaults(token: string, request: WindowRequest): Fault[] {
  if (token === '' || readWindowToken(token, request) !== undefined) return [];
  return [{ field: 'page_token', message: 'does not come from a response for this window', type: 'malformed' }];
}

function boundChannels(channels: readonly string[]): string {
  return [...channels].sort().join();
}

const WINDOW_MS_MAX = 3_600_000;
const PAGE_ROWS_MAX = 5_000;

/** One page of a window. Buffers two reads and one message. */
export async function* readWindow(
  deps: RpcDeps,
  request: marketData.ReadWindowRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.ReadWindowResponse> {
  refuseRequest(request);
  refuseUnserved(deps, request.symbol);
  const venue = deps.venues.of(request.symbol);
  const cursor = readWindowToken(request.pageToken, request);
  const pinned = await pinWindow(deps, venue, request, cursor?.pinned);
  const counting = packetFacts(deps, pinned.window);
  const opening = openPinned(deps, venue, pinned, counting);
  opening.catch(() => undefined);
  const page = readPage(
    deps,
    pinned,
    counting,
    cursor?.after ?? WINDOW_START,
    new Tally(cursor?.sent),
    request.pageSize || PAGE_ROWS_MAX,
    signal,
  );
  let end: PageEnd | undefined;
  for await (const part of page) {
    if ('rows' in part) yield { rows: part.rows, end: undefined };
    else end = part;
  }
  if (end === undefined) return;
  const { sent, next } = end;
  const { asOfMs, toOrdinal } = pinned.window;
  const { gaps, facts } = await opening;
  yield {
    rows: [],
    end: {
      ...toProtoSource(venue),
      asOfMs,
      gaps: gaps.map((gap) => toProtoGap(gap)),
      nextPageToken: next === undefined ? '' : writeWindowToken(request, { pinned: { asOfMs, toOrdinal }, after: next, sent }),
      completeness: completenessOf(factsAfter(facts, end.shortfalls), sent, next !== undefined),
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
  readonly next: Place | undefined;
  readonly shortfalls: Shortfalls;
}

async function* readPage(
  deps: RpcDeps,
  { window, logChannels }: PinnedWindow,
  counting: Promise<unknown>,
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
  for await (const item of mergeByPosition(rows, placedPackets(deps, window, after, shortfalls, counting))) {
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
