import { marketData } from '@market-state/contracts';
import type { MarketDataClient } from '../../clients/market-data-client';
import { fromProtoSourceKind } from '../../clients/source-kind';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/utc';
import { clockSkew } from '../../serving/answers/clock-skew';
import { dataAnswer, freshnessOf } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/handlers/handler';
import { readChannel } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/described';

function toSide(side: marketData.AggressorSide): 'buy' | 'sell' | null {
  switch (side) {
    case marketData.AggressorSide.BUY:
      return 'buy';
    case marketData.AggressorSide.SELL:
      return 'sell';
    case marketData.AggressorSide.UNSPECIFIED:
      return null;
  }
}

function toRow(trade: marketData.TradeRow): Described<'TradeRow'> {
  return {
    trade_id: trade.tradeId,
    price: trade.price,
    size: trade.size,
    side: toSide(trade.aggressorSide),
    exchange_time_utc: toUtc(trade.exchangeTsMs),
    received_time_utc: toUtc(trade.receivedTsMs),
    ...clockSkew(trade.exchangeTsMs, trade.receivedTsMs),
  };
}

/** The instant that an answer without a trade speaks of, and whether one could come. */
async function withoutTrades(client: MarketDataClient, symbol: string): Promise<{ readonly asOfMs: number; readonly reported: boolean }> {
  const freshness = await client.call.getFreshness({ symbol });
  return { asOfMs: freshness.feedClockMs, reported: readChannel(freshness, marketData.Channel.TRADE).reported };
}

export function listLatestTrades(client: MarketDataClient): Handler<'listLatestTrades'> {
  return async ({ operation, grant, input }) => {
    const answer = await client.call.listTrades({ symbol: input.query.symbol, limit: input.query.limit });
    const newest = answer.trades[0];
    const { asOfMs, reported } =
      newest === undefined ? await withoutTrades(client, answer.symbol) : { asOfMs: newest.exchangeTsMs, reported: true };
    const source = {
      symbol: answer.symbol,
      venue: answer.venue,
      asOfMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state: freshnessOf(newest !== undefined, answer.freshnessMs, answer.stalenessLimitMs),
      lacking: reported ? undefined : 'trades',
    };
    const fields = { rows: answer.trades.map(toRow), row_total: reported ? answer.trades.length : null };
    return { ...jsonRepresentation(dataAnswer({ operation, grant }, source, fields)), observed: answer.trades.length };
  };
}
