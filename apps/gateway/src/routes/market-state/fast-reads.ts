import type { Packet } from '@market-state/labeler';
import type { LatestBoard } from '../../boards/latest-board';
import type { FastRead } from '../../serving/fast-read';
import { operationById, type Operation } from '../../serving/openapi/operations';
import type { PacketView } from '../../serving/answers/packet-answer';
import { buyerSummaryFields } from './get-buyer-summary';
import { crowdingRegimeFields } from './get-crowding-regime-latest';
import { forcedFlowFields } from './get-forced-flow-latest';
import { queueFragilityFields } from './get-queue-fragility-latest';
import type { NewestViews } from './views/newest-views';

export interface FastReadDeps {
  readonly board: Pick<LatestBoard, 'warm' | 'held'>;
  readonly views: NewestViews;
}

/** Reads that the newest packets answer as long as they are pushed and fresh: `latest`, and what is said of a symbol's newest packet. */
export function fastReads({ board, views }: FastReadDeps): readonly FastRead[] {
  const ofNewest = (operation: Operation, fields: (packet: Packet) => object): FastRead => ({
    operation,
    answer({ symbol, as_of: asOf }, grant) {
      const held = asOf === '' && board.warm(String(symbol), 'packet') !== null ? board.held(String(symbol)) : undefined;
      return held === undefined ? null : { representation: views({ operation, grant }, held, fields), observed: undefined };
    },
  });
  return [
    {
      operation: operationById('getLatest'),
      answer({ symbol, view }) {
        const published = board.warm(String(symbol), view as PacketView);
        return published === null ? null : { representation: published.representation, observed: published.symbolTotal };
      },
    },
    ofNewest(operationById('getForcedFlowLatest'), forcedFlowFields),
    ofNewest(operationById('getCrowdingRegimeLatest'), crowdingRegimeFields),
    ofNewest(operationById('getQueueFragilityLatest'), queueFragilityFields),
    ofNewest(operationById('getBuyerSummary'), buyerSummaryFields),
  ];
}
