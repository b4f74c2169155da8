import type { marketData } from '@market-state/contracts';
import { deadlineExceeded, unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import {
  CHANNEL_NAMES,
  type ChannelName,
  fromProtoChannel,
  type MarketDataClient,
  refuseBeforeRetention,
  fromProtoSourceKind,
} from '../../clients/market-data-client';
import { splicedRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import { windowOf, type ReplayWindow } from '../../streams/replay-window';
import { publicGap, publicRow } from '../../serving/answers/public-row';
import { publicReceipt } from '../../streams/render-frames';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import { InvalidRequest } from '../../serving/errors/problem';

/** Why a replay is not whole, in words. */
const WORDS: Readonly<Record<string, string>> = {
  more_rows_follow: 'more rows follow',
  gaps_in_window: 'gaps lie in the window',
  seam_loss_unknown: 'a recording began again in the window, and it is not known whether rows are missing there',
  window_not_finished: 'rows of the end of the window can still come',
  before_retention: 'the window begins before what is kept',
  rows_missing: 'rows that were written could not be read',
  channel_not_reported: 'the source does not report a channel asked for',
  packets_unreachable: 'packets could not be read',
  archive_unreadable: 'the archive could not be read',
};

/** The reasons of a receipt in one phrase. */
function inWords(reasons: readonly string[]): string {
  return reasons.map((reason) => WORDS[reason] ?? reason).join('; ');
}

const CURSOR = z.tuple([z.literal('w1'), z.int().min(0), z.int().min(0), z.string().min(1)]);

/** A cursor that keeps the window of the first page, which may have been a default that moves with the clock. */
export function formatCursor({ startMs, endMs }: ReplayWindow, pageToken: string): string {
  return writeToken(['w1', startMs, endMs, pageToken]);
}

function invalidCursor(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}

/**
 * The window and the data plane's own token of a cursor.
 * @throws InvalidRequest when it is none of ours, or when start or end are given and differ from those it was made for
 */
export function readCursor(
  cursor: string,
  startMs: number | null,
  endMs: number | null,
): { readonly window: ReplayWindow; readonly pageToken: string } {
  const values = readToken(CURSOR, cursor);
  if (values === undefined) throw invalidCursor('must be the next_cursor of an earlier answer for the same symbol and channels');
  const [, firstMs, lastMs, pageToken] = values;
  const window = { startMs: firstMs, endMs: lastMs };
  if ((startMs ?? window.startMs) !== window.startMs || (endMs ?? window.endMs) !== window.endMs) {
    throw invalidCursor('was made for another window: send the start and end of the first request, or neither');
  }
  return { window, pageToken };
}

/** Time for a whole page, milliseconds. */
const DEADLINE_MS = 10_000;

const COMMA = Buffer.from(',');

/** A page as it was streamed: its rows as JSON in public form, commas between them, in pieces. */
interface WindowPage {
  readonly rows: readonly Buffer[];
  readonly rowTotal: number;
  readonly end: marketData.WindowPageEnd;
}

function toBytes(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** The rows of one message; `first` says that nothing stands before them. */
function joinRows(rows: readonly marketData.DataRow[], first: boolean): Buffer {
  return Buffer.concat(rows.flatMap((row, index) => [...(first && index === 0 ? [] : [COMMA]), ...publicRow(row).map(toBytes)]));
}

/**
 * Reads one page of a window. A row is never parsed: its bytes go into the answer as they come, a message at a time, so that
 * other requests are served in between.
 * @throws ServiceError as ReadWindow does; DEADLINE_EXCEEDED when the page is not there in 10 s
 */
async function readWindowPage(client: MarketDataClient, request: marketData.ReadWindowRequest): Promise<WindowPage> {
  const deadline = timeLimit(DEADLINE_MS);
  const rows: Buffer[] = [];
  let rowTotal = 0;
  for await (const message of client.call.readWindow(request, { signal: deadline })) {
    if (message.rows.length > 0) rows.push(joinRows(message.rows, rowTotal === 0));
    rowTotal += message.rows.length;
    if (message.end !== undefined) return { rows, rowTotal, end: message.end };
  }
  if (deadline.aborted) throw deadlineExceeded('upstream_deadline', 'The rows of this window took too long to read.');
  throw unavailable('upstream_unavailable', 'The rows of this window could not be read to their end.');
}

const PAGE_SIZE = 5_000;

/** Channels of the log that the venue of a symbol does not report. */
function channelsLacking({ channels }: marketData.GetFreshnessResponse): ReadonlySet<ChannelName | null> {
  return new Set(channels.filter(({ reported }) => !reported).map(({ channel }) => fromProtoChannel(channel)));
}

/** The channels of a comma list; for an empty one all that there are. */
function channelsOf(list: string, lacking: ReadonlySet<ChannelName | null>): ChannelName[] {
  const asked = new Set(list.split(','));
  return CHANNEL_NAMES.filter((name) => (list === '' ? !lacking.has(name) : asked.has(name)));
}

export function getReplayWindow(client: MarketDataClient): Handler<'getReplayWindow'> {
  return async ({ operation, grant, input }) => {
    const symbol = input.query.symbol;
    const cursor = input.query.cursor;
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const startMs = parseInstant(input.query.start);
    const endMs = parseInstant(input.query.end);
    const freshness = await client.call.getFreshness({ symbol });
    if (asOfMs !== 0) await refuseBeforeRetention(client, symbol, asOfMs);
    const lacking = channelsLacking(freshness);
    const channels = channelsOf(input.query.channels, lacking);
    const { window, pageToken } =
      cursor === '' ? { window: windowOf(startMs, endMs, freshness.feedClockMs), pageToken: '' } : readCursor(cursor, startMs, endMs);
    const page = await readWindowPage(client, { symbol, ...window, channels, asOfMs, pageSize: PAGE_SIZE, pageToken });
    const { venue, sourceKind, gaps, nextPageToken, completeness } = page.end;
    if (completeness === undefined) throw new Error('the data plane sent no completeness');
    const receipt = publicReceipt(completeness);
    const source = {
      symbol,
      venue,
      asOfMs: page.end.asOfMs,
      kinds: [fromProtoSourceKind(sourceKind)],
      state: symbolFreshness(freshness.channels),
      remark: receipt.status === 'complete' ? 'Nothing is missing.' : `The replay is partial: ${inWords(receipt.reasons)}.`,
      held: receipt.status === 'complete' ? ('all' as const) : receipt.rows_expected === 0 ? ('none' as const) : ('fewer' as const),
      stored: true,
    };
    const fields = {
      start_utc: toUtc(window.startMs),
      end_utc: toUtc(window.endMs),
      channels,
      channels_not_reported: CHANNEL_NAMES.filter((name) => lacking.has(name)),
      row_schema: EVENT_ROW_SCHEMA,
      rows: [],
      row_total: page.rowTotal,
      gaps: gaps.map(publicGap),
      next_cursor: nextPageToken === '' ? null : formatCursor(window, nextPageToken),
      completeness: receipt,
    };
    const reach = { symbols: [symbol], throughMs: window.endMs, upToNewest: false, sourceState: source.state };
    const past = receipt.status === 'complete' ? reach : undefined;
    return {
      ...(await splicedRepresentation(dataAnswer({ operation, grant }, source, fields), 'rows', page.rows)),
      observed: page.rowTotal,
      past,
    };
  };
}
