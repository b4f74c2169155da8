import { marketData } from '@market-state/contracts';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import { clockSkew, readChannel } from '../../serving/answers/symbol-freshness';
import { type AnswerContext, dataAnswer, freshnessOf } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

const SIDES: Readonly<Record<marketData.AggressorSide, 'buy' | 'sell' | null>> = {
  [marketData.AggressorSide.BUY]: 'buy',
  [marketData.AggressorSide.SELL]: 'sell',
  [marketData.AggressorSide.UNSPECIFIED]: null,
};

function toRow(trade: marketData.TradeRow): Described<'TradeRow'> {
  const side = SIDES[trade.aggressorSide];
  return {
    pass: trade.pass,
    venue_id: trade.venueId,
    trade_id: trade.tradeId,
    price: trade.price,
    size: trade.size,
    aggressor_side: side,
    side,
    exchange_time_utc: toUtc(trade.exchangeTsMs),
    received_time_utc: toUtc(trade.receivedTsMs),
    ...clockSkew(trade.exchangeTsMs, trade.receivedTsMs),
  };
}

/** An empty answer needs `freshness` for its instant, and to report if the venue sends trades. */
export function tradesAnswer(
  call: AnswerContext,
  answer: marketData.ListTradesResponse,
  freshness: marketData.GetFreshnessResponse | undefined,
) {
  const newest = answer.trades[0];
  const hasTrades = freshness === undefined || readChannel(freshness, marketData.Channel.TRADE).reported;
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: newest?.exchangeTsMs ?? freshness?.feedClockMs ?? 0,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state: freshnessOf(newest !== undefined, answer.freshnessMs, answer.stalenessLimitMs),
    lacking: hasTrades ? undefined : 'trades',
  };
  return dataAnswer(call, source, { rows: answer.trades.map(toRow), row_total: hasTrades ? answer.trades.length : null });
}

export function listLatestTrades({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'listLatestTrades'> {
  return async (call) => {
    const { symbol, limit } = call.input.query;
    const answer = await client.call.listTrades({ symbol, limit });
    const freshness = answer.trades.length === 0 ? await client.call.getFreshness({ symbol }) : undefined;
    return { ...jsonRepresentation(tradesAnswer(call, answer, freshness)), observed: answer.trades.length };
  };
}
