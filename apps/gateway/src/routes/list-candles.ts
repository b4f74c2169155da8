import type { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { FreshnessState } from '../http/meta';
import { notAvailableYet } from '../http/problem';
import { jsonRepresentation } from '../http/representation';
import { toUtc } from '../http/utc';
import { parseInstant } from '../validation/instant';
import type { Handler } from './handler';
import { rowsMeta } from './rows-meta';
import { sourceStatus } from './source-status';
import { symbolFreshness } from './symbol-freshness';

const MINUTE_MS = 60_000;
const PAGE_SIZE = 1_000;
/** A feed that plays ends a candle every minute. */
const STALE_AFTER_MS = 2 * MINUTE_MS;

function orNull(price: string): string | null {
  return price === '' ? null : price;
}

function toRow(candle: marketData.Candle) {
  return {
    open_time_utc: toUtc(candle.openTsMs),
    close_time_utc: toUtc(candle.closeTsMs),
    open: orNull(candle.open),
    high: orNull(candle.high),
    low: orNull(candle.low),
    close: orNull(candle.close),
    volume: candle.volume === '' ? '0' : candle.volume,
    notional: candle.notional === '' ? '0' : candle.notional,
    trade_total: candle.tradeTotal,
    complete: candle.complete,
    gap: candle.gap,
  };
}

/** The rows speak up to the end of the last one when it is complete, else up to now. */
function asOfMs(candles: readonly marketData.Candle[], nowMs: number): number {
  const last = candles.at(-1);
  return last?.complete === true ? last.closeTsMs : nowMs;
}

/** Rows of a past span cannot grow old; rows up to now are stale when the last one ended too long ago. */
function freshnessOfCandles(last: marketData.Candle, toMs: number | null, nowMs: number): FreshnessState {
  const wantedToMs = Math.min(toMs ?? nowMs, nowMs);
  return last.closeTsMs + STALE_AFTER_MS < wantedToMs ? 'stale' : 'fresh';
}

export function listCandles(client: GrpcClient<marketData.MarketDataServiceService>, now: () => number): Handler {
  return async ({ operation, input }) => {
    const { symbol, tf, from, to, cursor } = input.query;
    if (tf !== '1m') throw notAvailableYet(`Candles of ${String(tf)} are not served yet. Served now: 1m.`);
    const answer = await client.call.listCandles({
      symbol: String(symbol),
      fromMs: parseInstant(String(from)) ?? 0,
      toMs: parseInstant(String(to)) ?? 0,
      pageSize: PAGE_SIZE,
      pageToken: String(cursor),
      intervalMs: MINUTE_MS,
    });
    const sourceKind = fromProtoSourceKind(answer.sourceKind);
    const last = answer.candles.at(-1);
    const state =
      last === undefined
        ? symbolFreshness((await client.call.getFreshness({ symbol: answer.symbol })).channels)
        : freshnessOfCandles(last, parseInstant(String(to)), now());
    const remark = last === undefined && state !== 'missing' ? 'Nothing is kept of this window.' : '';
    return jsonRepresentation({
      symbol: answer.symbol,
      venue: answer.venue,
      as_of_utc: toUtc(asOfMs(answer.candles, now())),
      source_status: sourceStatus(sourceKind, state, remark),
      tf,
      rows: answer.candles.map(toRow),
      next_cursor: answer.nextPageToken === '' ? null : answer.nextPageToken,
      meta: rowsMeta(operation, sourceKind, state, true, last === undefined ? 'none' : 'all'),
    });
  };
}
