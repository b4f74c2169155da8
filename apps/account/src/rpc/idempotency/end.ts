import { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { AnswerSeal } from '../../idempotency/answer-seal';
import { abandonCall, type EndDeps, finishCall } from '../../idempotency/end-call';

export function createFinish(deps: EndDeps & { readonly seal: AnswerSeal }) {
  return async function finishRpc(request: account.FinishRequest): Promise<account.FinishResponse> {
    const { answer, operationId } = request;
    if (answer === undefined || answer.status < 100 || answer.status > 599) {
      throw invalidArgument([{ field: 'answer', message: 'must be given, with an HTTP status', type: 'required' }]);
    }
    await finishCall(deps, request, deps.seal.seal(operationId, account.StoredAnswer.encode(answer).finish()));
    return {};
  };
}

export function createAbandon(deps: EndDeps) {
  return async function abandonRpc(request: account.AbandonRequest): Promise<account.AbandonResponse> {
    await abandonCall(deps, request);
    return {};
  };
}
