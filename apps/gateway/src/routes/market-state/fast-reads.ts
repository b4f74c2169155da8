import type { Packet } from '@market-state/labeler';
import { readFreshness } from '@market-state/live-market';
import type { LatestCache } from '../../caches/latest/latest-cache';
import { MarketAnswers } from '../../caches/answers/market-answers';
import type { LiveMarkets } from '../../clients/live-markets';
import type { ServedPacket } from '../../clients/packet-client';
import type { FastRead, QueryValues } from '../../serving/fast-read';
import { lazyJson } from '../../serving/http/representation';
import { operationById, type Operation } from '../../serving/openapi/operations';
import { qualityAnswer, rejectionFields, type QualityFacts } from './get-feature-quality';
import type { PacketView } from '../../serving/answers/packet-answer';
import { buyerSummaryFields, crowdingRegimeFields, forcedFlowFields, queueFragilityFields, type NewestViews } from './newest-views';

interface FastReadDeps {
  readonly latestCache: Pick<LatestCache, 'warm' | 'packet'>;
  readonly views: NewestViews;
}

/**
 * Reads answered from the newest packets while these are pushed and fresh: `latest`, and views of a symbol's newest
 * packet.
 */
export function fastReads({ latestCache, views }: FastReadDeps): readonly FastRead[] {
  const ofNewest = (operation: Operation, fields: (packet: Packet) => object): FastRead => ({
    operation,
    answer({ symbol, as_of: asOf }, grant) {
      const newestPacket =
        asOf === '' && latestCache.warm(String(symbol), 'packet') !== null ? latestCache.packet(String(symbol)) : undefined;
      return newestPacket === undefined ? null : { representation: views({ operation, grant }, newestPacket, fields), observed: undefined };
    },
  });
  return [
    {
      operation: operationById('getLatest'),
      answer({ symbol, view }) {
        const published = latestCache.warm(String(symbol), view as PacketView);
        return published === null ? null : { representation: published.representation, observed: published.symbolTotal };
      },
    },
    ofNewest(operationById('getForcedFlowLatest'), forcedFlowFields),
    ofNewest(operationById('getCrowdingRegimeLatest'), crowdingRegimeFields),
    ofNewest(operationById('getQueueFragilityLatest'), queueFragilityFields),
    ofNewest(operationById('getBuyerSummary'), buyerSummaryFields),
  ];
}

interface FastQualityDeps {
  readonly latestCache: Pick<LatestCache, 'warm' | 'packet'>;
  readonly quality: Pick<QualityFacts, 'known'>;
  readonly markets: Pick<LiveMarkets, 'now'>;
  readonly now: () => number;
}

/** Serves feature quality of the newest packet if no upstream call is needed. */
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
  return {
    operation,
    answer: (query, grant) => (query['as_of'] === '' ? answers.of(String(query['symbol']), query, grant) : null),
  };
}
