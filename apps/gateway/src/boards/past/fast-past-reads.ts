import type { FastRead } from '../../serving/fast-read';
import type { OperationId } from '../../serving/answers/handler';
import { operationById } from '../../serving/openapi/operations';
import type { PastAnswers } from './past-answers';

/** Reads of the past whose answers may be kept. */
const KEPT: readonly OperationId[] = [
  'replayPackets',
  'listHistory',
  'searchEvents',
  'getEventEvidence',
  'getPacketWorkbench',
  'getPostmortem',
  'getReplayWindow',
];

/** Reads of the past that are kept as bytes. */
export function fastPastReads(answers: Pick<PastAnswers, 'ready'>): readonly FastRead[] {
  return KEPT.map((operationId) => {
    const operation = operationById(operationId);
    const [parameter] = operation.parameters.filter(({ in: place }) => place === 'path');
    return {
      operation,
      answer: (query, grant, inPath) =>
        answers.ready({ operation, grant, path: parameter === undefined ? {} : { [parameter.name]: inPath }, query }),
    };
  });
}
