import { readFreshness } from '@market-state/live-market';
import type { LatestBoard } from '../../boards/latest-board';
import { MarketAnswers } from '../../boards/market-board';
import type { LiveMarkets } from '../../clients/live-markets';
import type { ServedPacket } from '../../clients/served-packet';
import type { FastRead, QueryValues } from '../../serving/fast-read';
import { lazyJson } from '../../serving/http/representation';
import { operationById } from '../../serving/openapi/operations';
import { qualityAnswer, rejectionFields } from './get-feature-quality';
import type { QualityFacts } from './views/quality-facts';

export interface FastQualityDeps {
  readonly board: Pick<LatestBoard, 'warm' | 'held'>;
  readonly quality: Pick<QualityFacts, 'known'>;
  readonly markets: Pick<LiveMarkets, 'now'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** What is said of the quality of a symbol's newest packet, where nothing must be asked for it. */
export function fastFeatureQuality({ board, quality, markets, now }: FastQualityDeps): FastRead {
  const operation = operationById('getFeatureQuality');
  const newest = (symbol: string) => (board.warm(symbol, 'packet') === null ? undefined : board.held(symbol));
  const known = (held: ServedPacket | undefined) => (held === undefined ? null : quality.known(held));
  const answers = new MarketAnswers<QueryValues>(
    markets,
    ({ market, venue }, _query, grant) => {
      const [held, channels] = [newest(market.symbol), readFreshness(market, venue)];
      const facts = known(held);
      if (held === undefined || facts === null || channels === null) return null;
      const rejections = rejectionFields(facts.rejections);
      const read = { held, asOfMs: 0, nowMs: now(), channels, rejections, lateEvents: facts.lateEvents };
      return { ready: { representation: lazyJson(qualityAnswer({ operation, grant }, read)), observed: undefined } };
    },
    (symbol) => {
      const held = newest(symbol);
      return [held, known(held)?.rejections];
    },
  );
  return {
    operation,
    answer: (query, grant) => (query['as_of'] === '' ? answers.of(String(query['symbol']), query, grant) : null),
  };
}
