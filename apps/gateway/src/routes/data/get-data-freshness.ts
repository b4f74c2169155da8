import type { marketData } from '@market-state/contracts';
import { fromProtoChannel, fromProtoSourceKind, refuseBeforeRetention } from '../../clients/market-data-client';
import { type AnswerContext, dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import {
  absenceOfChannel,
  clockSkew,
  fromProtoFreshness,
  type SourceOfChannel,
  symbolFreshness,
} from '../../serving/answers/symbol-freshness';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { type Described, documentedWord } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

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

export function getDataFreshness({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getDataFreshness'> {
  return async (call) => jsonRepresentation(freshnessAnswer(call, await client.call.getFreshness({ symbol: call.input.query.symbol })));
}

const channelNamed = documentedWord('ChannelDay', 'channel');
const conditionNamed = documentedWord('ChannelDay', 'condition');
const reasonNamed = documentedWord('ChannelDay', 'reasons');

function toRow(day: marketData.ChannelDay): Described<'ChannelDay'> {
  return {
    channel: channelNamed(day.channel),
    date: toUtc(day.dayMs).slice(0, 10),
    condition: conditionNamed(day.condition),
    reasons: day.reasons.map((reason) => reasonNamed(reason)),
    row_total: day.rowTotal ?? null,
    observed_seconds: day.observedMs / 1_000,
    // Rounded down, so that a day with a gap never reads as complete.
    completeness: Math.floor((day.observedMs / day.elapsedMs) * 1e6) / 1e6,
    gap_ids: day.gapIds,
    gap_total: day.gapTotal,
    last_modified_utc: toUtcOrNull(day.lastModifiedMs),
  };
}

export function getDataCondition({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getDataCondition'> {
  return async (call) => {
    const { symbol, channel, from, to, as_of: asOf } = call.input.query;
    const instant = (text: string): number => parseInstant(text) ?? 0;
    const request = { symbol, channels: channel === '' ? [] : [channel], fromMs: instant(from), toMs: instant(to), asOfMs: instant(asOf) };
    const [answer, freshness] = await Promise.all([client.call.listChannelDays(request), client.call.getFreshness({ symbol })]);
    if (request.asOfMs !== 0) await refuseBeforeRetention(client, symbol, request.asOfMs);
    const source = {
      symbol,
      venue: answer.venue,
      asOfMs: answer.asOfMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state: symbolFreshness(freshness.channels),
      stored: true,
    };
    return jsonRepresentation(dataAnswer(call, source, { rows: answer.days.map(toRow), row_total: answer.days.length }));
  };
}
