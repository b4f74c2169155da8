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
import { toUtc, parseInstant } from '../../serving/meta/meta';
import { windowOf, type ReplayWindow } from '../../streams/replay';
import { publicGap, publicRow } from '../../serving/answers/public-row';
import { publicReceipt } from '../../streams/render-frames';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import { InvalidRequest } from '../../serving/errors/problem';
import type { ReadDeps } from '../../clients/upstreams';

const WORDS: Readonly<Record<string, string>> = {
  more_rows_follow: 'more rows follow',
  gaps_in_window: 'the window has gaps',
  seam_loss_unknown: 'recording restarted in the window, so rows may be missing there',
  window_not_finished: 'the window is not finished, so rows may still arrive',
  before_retention: 'the window starts before the retained data',
  rows_missing: 'some stored rows could not be read',
  channel_not_reported: 'the source does not report a requested channel',
  packets_unreachable: 'packets could not be read',
  archive_unreadable: 'the archive could not be read',
};

function inWords(reasons: readonly string[]): string {
  return reasons.map((reason) => WORDS[reason] ?? reason).join('; ');
}

const CURSOR = z.tuple([z.literal('w1'), z.int().min(0), z.int().min(0), z.string().min(1)]);

/** A cursor pins the first page's window, because the default window moves with the clock. */
export function formatCursor({ startMs, endMs }: ReplayWindow, pageToken: string): string {
  return writeToken(['w1', startMs, endMs, pageToken]);
}

function invalidCursor(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}

/** @throws InvalidRequest if the cursor is malformed, or if `start` or `end` differ from its window */
export function readCursor(
  cursor: string,
  startMs: number | null,
  endMs: number | null,
): { readonly window: ReplayWindow; readonly pageToken: string } {
  const values = readToken(CURSOR, cursor);
  if (values === undefined) throw invalidCursor('must be a next_cursor from an earlier response for the same symbol and channels');
  const [, firstMs, lastMs, pageToken] = values;
  const window = { startMs: firstMs, endMs: lastMs };
  if ((startMs ?? window.startMs) !== window.startMs || (endMs ?? window.endMs) !== window.endMs) {
    throw invalidCursor('was issued for another window: send the same start and end as in the first request, or omit both');
  }
  return { window, pageToken };
}

/** Covers a whole page. */
const DEADLINE_MS = 10_000;

const COMMA = Buffer.from(',');

/** A streamed page: its rows as public JSON, comma-separated, in pieces. */
interface WindowPage {
  readonly rows: readonly Buffer[];
  readonly rowTotal: number;
  readonly end: marketData.WindowPageEnd;
}

function toBytes(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** `first`: no rows precede these. */
function joinRows(rows: readonly marketData.DataRow[], first: boolean): Buffer {
  return Buffer.concat(rows.flatMap((row, index) => [...(first && index === 0 ? [] : [COMMA]), ...publicRow(row).map(toBytes)]));
}

/**
 * Copies row bytes message by message without parsing, so that other requests run in between.
 * @throws ServiceError as ReadWindow does; DEADLINE_EXCEEDED after 10 s
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
  if (deadline.aborted)
    throw deadlineExceeded('upstream_deadline', 'Reading this window took too long. Request a shorter window or fewer channels.');
  throw unavailable('upstream_unavailable', 'The rows of this window could not be read completely. Retry.');
}

const PAGE_SIZE = 5_000;

/** Channels that the symbol's venue does not report. */
function channelsLacking({ channels }: marketData.GetFreshnessResponse): ReadonlySet<ChannelName | null> {
  return new Set(channels.filter(({ reported }) => !reported).map(({ channel }) => fromProtoChannel(channel)));
}

/** Parses a comma-separated list; empty means all channels. */
function channelsOf(list: string, lacking: ReadonlySet<ChannelName | null>): ChannelName[] {
  const named = new Set(list.split(','));
  return CHANNEL_NAMES.filter((name) => (list === '' ? !lacking.has(name) : named.has(name)));
}

export function getReplayWindow({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getReplayWindow'> {
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
    if (completeness === undefined) throw new Error('the data plane returned no completeness');
    const receipt = publicReceipt(completeness);
    const source = {
      symbol,
      venue,
      asOfMs: page.end.asOfMs,
      kinds: [fromProtoSourceKind(sourceKind)],
      state: symbolFreshness(freshness.channels),
      remark: receipt.status === 'complete' ? 'The replay is complete.' : `The replay is partial: ${inWords(receipt.reasons)}.`,
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
      ...(await splicedRepresentation(dataAnswer({ operation, grant }, source, fields), { rows: page.rows })),
      observed: page.rowTotal,
      past,
    };
  };
}
