import type { marketData } from '@market-state/contracts';
import type { SourceFamily } from '@market-state/labeler';
import { fromProtoChannel } from '../../../clients/channel-name';
import type { MarketDataClient } from '../../../clients/market-data-client';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import { fromProtoFreshness } from '../../../serving/answers/symbol-freshness';
import { freshnessAsOf } from '../../../clients/delayed/delayed-freshness';
import type { Described } from '../../../serving/openapi/described';

/** The channel that a source family is read from; candles are made of the symbol's own trades. */
const CHANNEL_OF: Readonly<Record<SourceFamily, Described<'FamilyChannel'>['channel']>> = {
  book: 'book',
  trades: 'trades',
  asset_context: 'context',
  liquidations: 'liquidations',
  candles: 'trades',
};

/** How the channels of a symbol stood at an instant (0: now). */
export function readChannels(client: MarketDataClient, symbol: string, asOfMs: number): Promise<marketData.GetFreshnessResponse> {
  return asOfMs === 0 ? client.call.getFreshness({ symbol }) : freshnessAsOf(client, symbol, asOfMs);
}

/** The channel behind a source family as the data plane has it; null where the source does not report it. */
export function channelOf({ channels }: marketData.GetFreshnessResponse, family: SourceFamily) {
  const name = CHANNEL_OF[family];
  const channel = channels.find((candidate) => fromProtoChannel(candidate.channel) === name);
  if (channel === undefined || !channel.reported) return null;
  return {
    channel: name,
    last_exchange_time_utc: toUtcOrNull(channel.lastExchangeTsMs),
    last_received_time_utc: toUtcOrNull(channel.lastReceivedTsMs),
    staleness_limit_ms: channel.stalenessLimitMs === 0 ? null : channel.stalenessLimitMs,
    freshness_state: fromProtoFreshness(channel.state),
    gap_total_24h: channel.gapTotal24h,
  };
}

/** Messages that the feed could not take, most frequent first. */
export function rejectionsView({ rejectedTotal, countedSinceMs }: marketData.GetRejectionsResponse) {
  const byReason = Object.entries(rejectedTotal)
    .map(([reason, total]) => ({ reason, message_total: total }))
    .sort((a, b) => b.message_total - a.message_total || (a.reason < b.reason ? -1 : 1));
  return {
    counted_since_utc: toUtc(countedSinceMs),
    message_total: byReason.reduce((sum, { message_total }) => sum + message_total, 0),
    by_reason: byReason,
  };
}
