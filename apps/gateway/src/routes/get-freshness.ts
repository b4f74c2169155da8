import { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import { jsonRepresentation } from '../http/representation';
import { toUtc, toUtcOrNull } from '../http/utc';
import type { Handler } from './handler';
import { rowsMeta } from './rows-meta';
import { sourceStatus } from './source-status';
import { fromProtoFreshness, symbolFreshness } from './symbol-freshness';

const CHANNEL_NAMES: Readonly<Record<marketData.Channel, string | null>> = {
  [marketData.Channel.UNSPECIFIED]: null,
  [marketData.Channel.BOOK]: 'book',
  [marketData.Channel.TRADE]: 'trades',
  [marketData.Channel.CONTEXT]: 'context',
  [marketData.Channel.LIQUIDATION]: 'liquidations',
  [marketData.Channel.CONTROL]: 'control',
};

function toChannel(channel: marketData.ChannelFreshness) {
  const seen = channel.lastExchangeTsMs !== 0;
  return {
    channel: CHANNEL_NAMES[channel.channel],
    reported: channel.reported,
    last_exchange_time_utc: toUtcOrNull(channel.lastExchangeTsMs),
    last_received_time_utc: toUtcOrNull(channel.lastReceivedTsMs),
    freshness_ms: seen ? channel.freshnessMs : null,
    staleness_limit_ms: channel.stalenessLimitMs,
    state: fromProtoFreshness(channel.state),
    gap_total_24h: channel.gapTotal24h,
  };
}

export function getFreshness(client: GrpcClient<marketData.MarketDataServiceService>): Handler {
  return async ({ operation, input }) => {
    const answer = await client.call.getFreshness({ symbol: String(input.query['symbol']) });
    const channels = answer.channels.filter((channel) => CHANNEL_NAMES[channel.channel] !== null);
    const sourceKind = fromProtoSourceKind(answer.sourceKind);
    const state = symbolFreshness(channels);
    return jsonRepresentation({
      symbol: answer.symbol,
      venue: answer.venue,
      as_of_utc: toUtc(answer.feedClockMs),
      source_status: sourceStatus(sourceKind, state),
      channels: channels.map(toChannel),
      meta: rowsMeta(operation, sourceKind, state, false, state === 'fresh' ? 'all' : 'fewer'),
    });
  };
}
