import { readBook, readContext, readFreshness, readLiquidations, readTrades } from '@market-state/live-market';
import { MarketAnswers } from '../../caches/answers/market-answers';
import type { CandleLists, GapLists, LiveMarket, LiveMarkets } from '../../clients/live-market-data';
import type { AnswerContext } from '../../serving/answers/data-answer';
import type { InputOf, OperationId } from '../../serving/answers/handler';
import { type FastRead, fastRead, type QueryValues } from '../../serving/fast-path';
import { lazyJson } from '../../serving/http/representation';
import { operationById } from '../../serving/openapi/operations';
import { contextAnswer } from './get-active-asset-context';
import { bookAnswer } from './get-book-l2-latest';
import { freshnessAnswer } from './get-data-freshness';
import { liquidationsAnswer } from './get-liquidations-context';
import { candlesAnswer, candlesWanted } from './list-candles';
import { gapsAnswer, gapsWanted } from './list-gaps';
import { tradesAnswer } from './list-latest-trades';

/** Larger responses take the full route, which compresses off the event loop. */
const BYTES_MAX = 32_768;

interface Answered {
  readonly body: object;
  readonly observed?: number;
}

export interface FastDataDeps {
  readonly markets: Pick<LiveMarkets, 'now'>;
  readonly gapLists: Pick<GapLists, 'known'>;
  readonly candleLists: Pick<CandleLists, 'known'>;
}

export function fastDataReads({ markets, gapLists, candleLists }: FastDataDeps): readonly FastRead[] {
  function ofMarket<Op extends OperationId>(
    operationId: Op,
    varying: readonly (keyof InputOf<Op>['query'])[],
    answered: (call: AnswerContext, live: LiveMarket, query: InputOf<Op>['query']) => Answered | null,
  ): FastRead {
    const operation = operationById(operationId);
    const answers = new MarketAnswers<QueryValues>(markets, (live, query, grant) => {
      const answer = answered({ operation, grant }, live, query as InputOf<Op>['query']);
      if (answer === null) return null;
      const representation = lazyJson(answer.body);
      return { ready: representation.bodies.identity.length > BYTES_MAX ? null : { representation, observed: answer.observed } };
    });
    return fastRead(operationId, varying, (query: QueryValues, grant) => answers.of(String(query['symbol']), query, grant));
  }

  return [
    ofMarket('getBookL2Latest', ['symbol', 'depth'], (call, { market, venue }, query) => {
      const book = readBook(market, venue, query);
      if (book === null) return null;
      const body = bookAnswer(call, query, book);
      return { body, observed: body.depth_returned };
    }),
    ofMarket('listLatestTrades', ['symbol', 'limit'], (call, { market, venue }, query) => {
      const answer = readTrades(market, venue, query);
      return answer.trades.length === 0 ? null : { body: tradesAnswer(call, answer, undefined), observed: answer.trades.length };
    }),
    ofMarket('getActiveAssetContext', ['symbol'], (call, { market, venue }) => ({
      body: contextAnswer(call, readContext(market, venue)),
    })),
    ofMarket('getLiquidationsContext', ['symbol', 'window_seconds'], (call, { market, venue }, query) => {
      const freshness = readFreshness(market, venue);
      const answer = readLiquidations(market, venue, { windowSeconds: query.window_seconds });
      return freshness === null ? null : { body: liquidationsAnswer(call, query, answer, freshness) };
    }),
    ofMarket('listCandles', ['symbol', 'tf', 'cursor'], (call, { market, venue }, query) => {
      const [list, freshness] = [candleLists.known(candlesWanted(query)), readFreshness(market, venue)];
      return list === null || freshness === null
        ? null
        : { body: candlesAnswer(call, query, list, freshness), observed: list.candles.length };
    }),
    ofMarket('listGaps', ['symbol', 'limit', 'cursor'], (call, { market, venue }, query) => {
      const request = gapsWanted(query);
      const [list, freshness] = [gapLists.known(request), readFreshness(market, venue)];
      return list === null || freshness === null ? null : { body: gapsAnswer(call, request, list, freshness), observed: list.gaps.length };
    }),
    ofMarket('getDataFreshness', ['symbol'], (call, { market, venue }) => {
      const freshness = readFreshness(market, venue);
      return freshness === null ? null : { body: freshnessAnswer(call, freshness) };
    }),
  ];
}
