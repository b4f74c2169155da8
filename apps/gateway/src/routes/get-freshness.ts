import { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { FreshnessState } from '../http/meta';
import { jsonRepresentation } from '../http/representation';
import { toUtc, toUtcOrNull } from '../http/utc';
import type { Handler } from './handler';
import { rowsMeta } from './rows-meta';
import { sourceStatus } from './source-status';

const CHANNEL_NAMES: Readonly<Record<marketData.Channel, string | null>> = {
  [marketData.Channel.UNSPECIFIED]: null,
  [marketData.Channel.BOOK]: 'book',
  [marketData.Channel.TRADE]: 'trades',
  [marketData.Channel.CONTEXT]: 'context',
  [marketData.Channel.LIQUIDATION]: 'liquidations',
  [marketData.Channel.CONTROL]: 'control',
};

function toState(state: marketData.FreshnessState): FreshnessState {
  switch (state) {
    case marketData.FreshnessState.FRESH:
      return 'fresh';
    case marketData.FreshnessState.STALE:
      return 'stale';
    case marketData.FreshnessState.MISSING:
    case marketData.FreshnessState.UNSPECIFIED:
      return 'missing';
  }
}

function toChannel(channel: marketData.ChannelFreshness) {
  const seen = channel.lastExchangeTsMs !== 0;
  return {
    channel: CHANNEL_NAMES[channel.channel],
    reported: channel.reported,
    last_exchange_time_utc: toUtcOrNull(channel.lastExchangeTsMs),
    last_received_time_utc: toUtcOrNull(channel.lastReceivedTsMs),
    freshness_ms: seen ? channel.freshnessMs : null,
    staleness_limit_ms: channel.stalenessLimitMs,
    state: toState(channel.state),
    gap_total_24h: channel.gapTotal24h,
  };
}

/** The worst state among the channels that the venue reports. */
function worst(channels: readonly marketData.ChannelFreshness[]): FreshnessState {
  const states = channels.filter((channel) => channel.reported).map((channel) => toState(channel.state));
  if (states.length === 0 || states.every((state) => state === 'missing')) return 'missing';
  return states.every((state) => state === 'fresh') ? 'fresh' : 'stale';
}

export function getFreshness(client: GrpcClient<marketData.MarketDataServiceService>): Handler {
  return async ({ operation, input }) => {
    const answer = await client.call.getFreshness({ symbol: String(input.query['symbol']) });
    const channels = answer.channels.filter((channel) => CHANNEL_NAMES[channel.channel] !== null);
    const sourceKind = fromProtoSourceKind(answer.sourceKind);
    const state = worst(channels);
    return jsonRepresentation({
      symbol: answer.symbol,
      venue: answer.venue,
      as_of_utc: toUtc(answer.feedClockMs),
      source_status: sourceStatus(sourceKind, state),
      channels: channels.map(toChannel),
      meta: rowsMeta(operation, sourceKind, state, false, state === 'fresh'),
    });
  };
}
