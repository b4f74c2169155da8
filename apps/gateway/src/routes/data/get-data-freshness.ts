import type { marketData } from '@market-state/contracts';
import { fromProtoChannel, type MarketDataClient, fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtcOrNull } from '../../serving/meta/instant';
import {
  absenceOfChannel,
  type SourceOfChannel,
  clockSkew,
  fromProtoFreshness,
  symbolFreshness,
} from '../../serving/answers/symbol-freshness';
import { type AnswerContext, dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/described';

type Channel = Described<'ChannelFreshness'>;

function toChannel(name: Channel['channel'], channel: marketData.ChannelFreshness, source: SourceOfChannel): Channel {
  const seen = channel.lastExchangeTsMs !== 0;
  return {
    channel: name,
    reported: channel.reported,
    absence: absenceOfChannel(channel, source),
    last_exchange_time_utc: toUtcOrNull(channel.lastExchangeTsMs),
    last_received_time_utc: toUtcOrNull(channel.lastReceivedTsMs),
    freshness_ms: seen ? channel.freshnessMs : null,
    ...clockSkew(channel.lastExchangeTsMs, channel.lastReceivedTsMs),
    staleness_limit_ms: channel.stalenessLimitMs === 0 ? null : channel.stalenessLimitMs,
    state: fromProtoFreshness(channel.state),
    gap_total_24h: channel.reported ? channel.gapTotal24h : null,
    seam_total_24h: channel.reported ? channel.seamTotal24h : null,
  };
}

export function freshnessAnswer(call: AnswerContext, answer: marketData.GetFreshnessResponse) {
  const named = answer.channels.flatMap((channel) => {
    const name = fromProtoChannel(channel.channel);
    return name === null ? [] : [{ name, channel }];
  });
  const state = symbolFreshness(named.map(({ channel }) => channel));
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: answer.feedClockMs,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state,
    held: state === 'fresh' ? ('all' as const) : ('fewer' as const),
  };
  return dataAnswer(call, source, { channels: named.map(({ name, channel }) => toChannel(name, channel, answer)) });
}

export function getDataFreshness(client: MarketDataClient): Handler<'getDataFreshness'> {
  return async (call) => jsonRepresentation(freshnessAnswer(call, await client.call.getFreshness({ symbol: call.input.query.symbol })));
}
