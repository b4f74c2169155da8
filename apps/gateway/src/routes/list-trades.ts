import { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import { jsonRepresentation } from '../http/representation';
import { toUtc } from '../http/utc';
import type { Handler } from './handler';
import { rowsMeta } from './rows-meta';
import { freshnessOf, sourceStatus } from './source-status';

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

function toRow(trade: marketData.TradeRow) {
  return { trade_id: trade.tradeId, price: trade.price, size: trade.size, side: toSide(trade.aggressorSide), exchange_time_utc: toUtc(trade.exchangeTsMs) };
}

export function listTrades(client: GrpcClient<marketData.MarketDataServiceService>, now: () => number): Handler {
  return async ({ operation, input }) => {
    const answer = await client.call.listTrades({ symbol: String(input.query['symbol']), limit: Number(input.query['limit']) });
    const newest = answer.trades[0];
    const sourceKind = fromProtoSourceKind(answer.sourceKind);
    const state = freshnessOf(newest !== undefined, answer.freshnessMs, answer.stalenessLimitMs);
    return jsonRepresentation({
      symbol: answer.symbol,
      venue: answer.venue,
      as_of_utc: toUtc(newest?.exchangeTsMs ?? now()),
      source_status: sourceStatus(sourceKind, state),
      rows: answer.trades.map(toRow),
      row_total: answer.trades.length,
      meta: rowsMeta(operation, sourceKind, state, false),
    });
  };
}
