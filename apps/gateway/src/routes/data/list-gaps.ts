import type { marketData } from '@market-state/contracts';
import { type MarketDataClient, refuseBeforeRetention, fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { publicGap } from '../../serving/answers/public-row';
import { parseInstant } from '../../serving/meta/meta';
import { type AnswerContext, dataAnswer } from '../../serving/answers/data-answer';
import type { Handler, InputOf } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';

type Query = InputOf<'listGaps'>['query'];

export function gapsWanted({ symbol, from, to, limit, cursor, as_of: asOf }: Query): marketData.ListGapsRequest {
  const instant = (text: string): number => parseInstant(text) ?? 0;
  return { symbol, fromMs: instant(from), toMs: instant(to), pageSize: limit, pageToken: cursor, asOfMs: instant(asOf) };
}

export function gapsAnswer(
  call: AnswerContext,
  { asOfMs }: marketData.ListGapsRequest,
  answer: marketData.ListGapsResponse,
  freshness: marketData.GetFreshnessResponse,
) {
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: asOfMs === 0 ? freshness.feedClockMs : answer.asOfMs,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state: symbolFreshness(freshness.channels),
    stored: true,
  };
  const next_cursor = answer.nextPageToken === '' ? null : answer.nextPageToken;
  return dataAnswer(call, source, { rows: answer.gaps.map(publicGap), row_total: answer.gaps.length, next_cursor });
}

export function listGaps(client: MarketDataClient): Handler<'listGaps'> {
  return async (call) => {
    const request = gapsWanted(call.input.query);
    const { symbol, asOfMs, toMs } = request;
    const [answer, freshness] = await Promise.all([client.call.listGaps(request), client.call.getFreshness({ symbol })]);
    if (asOfMs !== 0) await refuseBeforeRetention(client, symbol, asOfMs);
    if (answer.gaps.length === 0 && toMs !== 0) await refuseBeforeRetention(client, symbol, toMs - 1);
    return { ...jsonRepresentation(gapsAnswer(call, request, answer, freshness)), observed: answer.gaps.length };
  };
}
