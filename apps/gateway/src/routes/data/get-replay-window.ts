import type { marketData } from '@market-state/contracts';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { CHANNEL_NAMES, type ChannelName, fromProtoChannel } from '../../clients/channel-name';
import type { MarketDataClient } from '../../clients/market-data-client';
import { refuseBeforeRetention } from '../../clients/retention';
import { fromProtoSourceKind } from '../../clients/source-kind';
import { splicedRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import { formatCursor, readCursor } from './replay/replay-cursor';
import { inWords } from './replay/partial-reasons';
import { windowOf } from '../../streams/replay-window';
import { readWindowPage } from './replay/window-page';
import { publicGap } from '../../serving/answers/public-row';
import { publicReceipt } from '../../streams/render-frames';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';

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
