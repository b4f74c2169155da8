import type { marketData } from '@market-state/contracts';
import { type MarketDataClient, refuseBeforeRetention, fromProtoSourceKind } from '../../clients/market-data-client';
import { dataAnswer } from '../../serving/answers/data-answer';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/instant';
import { type Described, documentedWord } from '../../serving/openapi/described';

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

export function getDataCondition(client: MarketDataClient): Handler<'getDataCondition'> {
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
