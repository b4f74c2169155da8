import { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { AnswerSeal } from '../../idempotency/answer-seal';
import { abandonCall, type EndDeps, finishCall, type HeldCall } from '../../idempotency/end-call';
import { idFaults, refuseFaults } from '../fields';

export function createFinish(deps: EndDeps & { readonly seal: AnswerSeal }) {
  return async function finishRpc(request: account.FinishRequest): Promise<account.FinishResponse> {
    const { answer, operationId } = request;
    const isAnswer = answer !== undefined && answer.status >= 100 && answer.status <= 599;
    const faults: Fault[] = [
      ...heldFaults(request),
      ...(isAnswer ? [] : [{ field: 'answer', message: 'must be given, with an HTTP status', type: 'required' }]),
    ];
    if (faults.length > 0 || answer === undefined) throw invalidArgument(faults);
    await finishCall(deps, request, deps.seal.seal(operationId, account.StoredAnswer.encode(answer).finish()));
    return {};
  };
}

export function createAbandon(deps: EndDeps) {
  return async function abandonRpc(request: account.AbandonRequest): Promise<account.AbandonResponse> {
    refuseFaults(heldFaults(request));
    await abandonCall(deps, request);
    return {};
  };
}

function heldFaults({ tenantId, operationId }: HeldCall): Fault[] {
  return [...idFaults('tenant_id', tenantId), ...idFaults('operation_id', operationId)];
}
