import { marketData } from '@market-state/contracts';
import type { MarketDataClient } from '../../clients/market-data-client';
import { refuseBeforeRetention } from '../../clients/retention';
import { fromProtoSourceKind } from '../../clients/source-kind';
import type { FreshnessState } from '../../serving/meta/meta';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, toUtcOrNull } from '../../serving/meta/utc';
import { parseInstant } from '../../serving/validation/instant';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/handlers/handler';
import { readChannel } from '../../serving/answers/symbol-freshness';
import { TIMEFRAMES } from '@market-state/export-schema';
import type { Described } from '../../serving/openapi/described';

const PAGE_SIZE = 1_000;

function orNull(price: string): string | null {
  return price === '' ? null : price;
}

function toRow(candle: marketData.Candle): Described<'Candle'> {
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
    last_received_time_utc: toUtcOrNull(candle.lastReceivedTsMs),
  };
}

/** The rows speak up to the end of the last one when it is complete, else up to the feed clock. */
function endOfRows(candles: readonly marketData.Candle[], feedClockMs: number): number {
  const last = candles.at(-1);
  return last?.complete === true ? last.closeTsMs : feedClockMs;
}

/** Rows of a past span cannot grow old; those up to the feed clock are as fresh as the channel. */
function freshnessOfCandles(last: marketData.Candle | undefined, channel: FreshnessState, feedClockMs: number): FreshnessState {
  return last !== undefined && last.complete && last.closeTsMs < feedClockMs - (last.closeTsMs - last.openTsMs) ? 'fresh' : channel;
}

export function listCandles(client: MarketDataClient): Handler<'listCandles'> {
  return async ({ operation, grant, input }) => {
    const { from, to, cursor, as_of: asOf } = input.query;
    const symbol = input.query.symbol;
    const tf = input.query.tf;
    const asOfMs = parseInstant(asOf) ?? 0;
    const toMs = parseInstant(to) ?? 0;
    const [answer, freshness] = await Promise.all([
      client.call.listCandles({
        symbol,
        fromMs: parseInstant(from) ?? 0,
        toMs,
        pageSize: PAGE_SIZE,
        pageToken: cursor,
        intervalMs: TIMEFRAMES[tf],
        asOfMs,
      }),
      client.call.getFreshness({ symbol }),
    ]);
    const last = answer.candles.at(-1);
    if (asOfMs !== 0) await refuseBeforeRetention(client, symbol, asOfMs);
    if (last === undefined && toMs !== 0) await refuseBeforeRetention(client, symbol, toMs);
    const { reported, state: channel } = readChannel(freshness, marketData.Channel.TRADE);
    const state = freshnessOfCandles(last, channel, freshness.feedClockMs);
    const source = {
      symbol: answer.symbol,
      venue: answer.venue,
      asOfMs: asOfMs === 0 ? endOfRows(answer.candles, freshness.feedClockMs) : answer.asOfMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state,
      lacking: reported ? undefined : 'trades, which candles are made of',
      remark: last === undefined && state !== 'missing' ? 'Nothing is kept of this window.' : '',
      held: last === undefined ? ('none' as const) : ('all' as const),
      stored: true,
    };
    const next_cursor = answer.nextPageToken === '' ? null : answer.nextPageToken;
    const fields = { tf, rows: answer.candles.map(toRow), row_total: answer.candles.length, next_cursor };
    return { ...jsonRepresentation(dataAnswer({ operation, grant }, source, fields)), observed: answer.candles.length };
  };
}
