import { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { AnswerSeal } from '../../idempotency/answer-seal';
import { type EndDeps, finishCall } from '../../idempotency/end-call';
import { heldFaults } from './held-faults';

export interface FinishDeps extends EndDeps {
  readonly seal: AnswerSeal;
}

/** Keeps the answer of a call that was begun. */
export async function finish(deps: FinishDeps, request: account.FinishRequest): Promise<account.FinishResponse> {
  const { answer, operationId } = request;
  const isAnswer = answer !== undefined && answer.status >= 100 && answer.status <= 599;
  const faults: Fault[] = [
    ...heldFaults(request),
    ...(isAnswer ? [] : [{ field: 'answer', message: 'must be given, with an HTTP status', type: 'required' }]),
  ];
  if (faults.length > 0 || answer === undefined) throw invalidArgument(faults);
  await finishCall(deps, request, deps.seal.seal(operationId, account.StoredAnswer.encode(answer).finish()));
  return {};
}
