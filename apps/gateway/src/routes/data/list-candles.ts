import { marketData } from '@market-state/contracts';
import { TIMEFRAMES } from '@market-state/export-schema';
import { refuseBeforeRetention, fromProtoSourceKind } from '../../clients/market-data-client';
import { type FreshnessState, toUtc, toUtcOrNull, parseInstant, textOrNull } from '../../serving/meta/meta';
import { jsonRepresentation } from '../../serving/http/representation';
import { type AnswerContext, dataAnswer } from '../../serving/answers/data-answer';
import type { Handler, InputOf } from '../../serving/answers/handler';
import { readChannel } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

const PAGE_SIZE = 1_000;

/** Rendered rows, reused across responses. */
const rows = new WeakMap<marketData.Candle, Described<'Candle'>>();

function toRow(candle: marketData.Candle): Described<'Candle'> {
  const known = rows.get(candle);
  if (known !== undefined) return known;
  const row = {
    open_time_utc: toUtc(candle.openTsMs),
    close_time_utc: toUtc(candle.closeTsMs),
    open: textOrNull(candle.open),
    high: textOrNull(candle.high),
    low: textOrNull(candle.low),
    close: textOrNull(candle.close),
    volume: candle.volume === '' ? '0' : candle.volume,
    notional: candle.notional === '' ? '0' : candle.notional,
    trade_total: candle.tradeTotal,
    complete: candle.complete,
    gap: candle.gap,
    last_received_time_utc: toUtcOrNull(candle.lastReceivedTsMs),
  };
  rows.set(candle, row);
  return row;
}

/** The last candle's end if it is complete, else the feed clock. */
function endOfRows(candles: readonly marketData.Candle[], feedClockMs: number): number {
  const last = candles.at(-1);
  return last?.complete === true ? last.closeTsMs : feedClockMs;
}

/** Rows of a past span never go stale; rows up to the feed clock are as fresh as their channel. */
function freshnessOfCandles(last: marketData.Candle | undefined, channel: FreshnessState, feedClockMs: number): FreshnessState {
  return last !== undefined && last.complete && last.closeTsMs < feedClockMs - (last.closeTsMs - last.openTsMs) ? 'fresh' : channel;
}

type CandleQuery = InputOf<'listCandles'>['query'];

export function candlesWanted({ symbol, tf, from, to, cursor, as_of: asOf }: CandleQuery): marketData.ListCandlesRequest {
  return {
    symbol,
    fromMs: parseInstant(from) ?? 0,
    toMs: parseInstant(to) ?? 0,
    pageSize: PAGE_SIZE,
    pageToken: cursor,
    intervalMs: TIMEFRAMES[tf],
    asOfMs: parseInstant(asOf) ?? 0,
  };
}

export function candlesAnswer(
  call: AnswerContext,
  { tf, as_of: asOf }: CandleQuery,
  answer: marketData.ListCandlesResponse,
  freshness: marketData.GetFreshnessResponse,
) {
  const last = answer.candles.at(-1);
  const { reported, state: channel } = readChannel(freshness, marketData.Channel.TRADE);
  const state = freshnessOfCandles(last, channel, freshness.feedClockMs);
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: parseInstant(asOf) === null ? endOfRows(answer.candles, freshness.feedClockMs) : answer.asOfMs,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state,
    lacking: reported ? undefined : 'trades, which candles are made of',
    remark: last === undefined && state !== 'missing' ? 'No data is retained for this window.' : '',
    held: last === undefined ? ('none' as const) : ('all' as const),
    stored: true,
  };
  const next_cursor = answer.nextPageToken === '' ? null : answer.nextPageToken;
  return dataAnswer(call, source, { tf, rows: answer.candles.map(toRow), row_total: answer.candles.length, next_cursor });
}

export function listCandles({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'listCandles'> {
  return async ({ operation, grant, input }) => {
    const request = candlesWanted(input.query);
    const { symbol, asOfMs, toMs } = request;
    const [answer, freshness] = await Promise.all([client.call.listCandles(request), client.call.getFreshness({ symbol })]);
    if (asOfMs !== 0) await refuseBeforeRetention(client, symbol, asOfMs);
    if (answer.candles.length === 0 && toMs !== 0) await refuseBeforeRetention(client, symbol, toMs);
    const body = candlesAnswer({ operation, grant }, input.query, answer, freshness);
    return { ...jsonRepresentation(body), observed: answer.candles.length };
  };
}
