import type { MarketDataClient } from '../../clients/market-data-client';
import { refuseBeforeRetention } from '../../clients/retention';
import { fromProtoSourceKind } from '../../clients/source-kind';
import { jsonRepresentation } from '../../serving/http/representation';
import { publicGap } from '../../serving/answers/public-gap';
import { parseInstant } from '../../serving/validation/instant';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/handlers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';

export function listGaps(client: MarketDataClient): Handler<'listGaps'> {
  return async ({ operation, grant, input }) => {
    const { from, to, limit, cursor, as_of: asOf } = input.query;
    const symbol = input.query.symbol;
    const asOfMs = parseInstant(asOf) ?? 0;
    const request = { symbol, fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0, pageSize: limit, pageToken: cursor, asOfMs };
    const [answer, freshness] = await Promise.all([client.call.listGaps(request), client.call.getFreshness({ symbol })]);
    if (asOfMs !== 0) await refuseBeforeRetention(client, symbol, asOfMs);
    const source = {
      symbol: answer.symbol,
      venue: answer.venue,
      asOfMs: asOfMs === 0 ? freshness.feedClockMs : answer.asOfMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state: symbolFreshness(freshness.channels),
      stored: true,
    };
    const next_cursor = answer.nextPageToken === '' ? null : answer.nextPageToken;
    const fields = { rows: answer.gaps.map(publicGap), row_total: answer.gaps.length, next_cursor };
    return { ...jsonRepresentation(dataAnswer({ operation, grant }, source, fields)), observed: answer.gaps.length };
  };
}
