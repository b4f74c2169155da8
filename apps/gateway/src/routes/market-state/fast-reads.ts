import type { Packet } from '@market-state/labeler';
import { readFreshness } from '@market-state/live-market';
import { MarketAnswers } from '../../caches/answers/market-answers';
import type { LatestCache } from '../../caches/latest/latest-cache';
import type { LiveMarkets } from '../../clients/live-market-data';
import type { ServedPacket } from '../../clients/packet-client';
import type { OperationId } from '../../serving/answers/handler';
import { type FastRead, fastRead, type QueryValues } from '../../serving/fast-path';
import { lazyJson } from '../../serving/http/representation';
import { operationById } from '../../serving/openapi/operations';
import { qualityAnswer, type QualityFacts, rejectionFields } from './get-feature-quality';
import { buyerSummaryFields, crowdingRegimeFields, forcedFlowFields, type NewestViews, queueFragilityFields } from './newest-views';

interface FastReadDeps {
  readonly latestCache: Pick<LatestCache, 'warm' | 'packet'>;
  readonly views: NewestViews;
}

type ViewId = Extract<OperationId, 'getForcedFlowLatest' | 'getCrowdingRegimeLatest' | 'getQueueFragilityLatest' | 'getBuyerSummary'>;

/** `latest`, and views of a symbol's newest packet, while packets are pushed and fresh. */
export function fastReads({ latestCache, views }: FastReadDeps): readonly FastRead[] {
  function ofNewest<Op extends ViewId>(operationId: Op, fields: (packet: Packet) => object): FastRead {
    const operation = operationById(operationId);
    return fastRead<ViewId>(operationId, ['symbol'], ({ symbol }, grant) => {
      const newestPacket = latestCache.warm(symbol, 'packet') === null ? undefined : latestCache.packet(symbol);
      return newestPacket === undefined ? null : { representation: views({ operation, grant }, newestPacket, fields), observed: undefined };
    });
  }
  return [
    fastRead('getLatest', ['symbol', 'view'], ({ symbol, view }) => {
      const published = latestCache.warm(symbol, view);
      return published === null ? null : { representation: published.representation, observed: published.symbolTotal };
    }),
    ofNewest('getForcedFlowLatest', forcedFlowFields),
    ofNewest('getCrowdingRegimeLatest', crowdingRegimeFields),
    ofNewest('getQueueFragilityLatest', queueFragilityFields),
    ofNewest('getBuyerSummary', buyerSummaryFields),
  ];
}

interface FastQualityDeps {
  readonly latestCache: Pick<LatestCache, 'warm' | 'packet'>;
  readonly quality: Pick<QualityFacts, 'known'>;
  readonly markets: Pick<LiveMarkets, 'now'>;
  readonly now: () => number;
}

export function fastFeatureQuality({ latestCache, quality, markets, now }: FastQualityDeps): FastRead {
  const operation = operationById('getFeatureQuality');
  const newest = (symbol: string) => (latestCache.warm(symbol, 'packet') === null ? undefined : latestCache.packet(symbol));
  const known = (newestPacket: ServedPacket | undefined) => (newestPacket === undefined ? null : quality.known(newestPacket));
  const answers = new MarketAnswers<QueryValues>(
    markets,
    ({ market, venue }, _query, grant) => {
      const [newestPacket, channels] = [newest(market.symbol), readFreshness(market, venue)];
      const facts = known(newestPacket);
      if (newestPacket === undefined || facts === null || channels === null) return null;
      const rejections = rejectionFields(facts.rejections);
      const read = { held: newestPacket, asOfMs: 0, nowMs: now(), channels, rejections, lateEvents: facts.lateEvents };
      return { ready: { representation: lazyJson(qualityAnswer({ operation, grant }, read)), observed: undefined } };
    },
    (symbol) => {
      const newestPacket = newest(symbol);
      return [newestPacket, known(newestPacket)?.rejections];
    },
  );
  return fastRead('getFeatureQuality', ['symbol'], (query, grant) => answers.of(query.symbol, query, grant));
}
