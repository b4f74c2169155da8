import { account } from '@market-state/contracts';
import { type Fault, invalidArgument, internal } from '@market-state/errors';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { orUnavailable } from '@market-state/postgres';
import { digestFaults, idFaults, refuseFaults } from '@market-state/request-checks';
import type { CallTry } from '../store/idempotent-calls';
import { abandonCall, type EndDeps, finishCall, beginCall, type BeginDeps, type BeginOutcome } from '../idempotent-calls';
import type { Seal } from '../seal';

const METHOD_PATTERN = /^[A-Z]{1,16}$/;

const ROUTE_PATTERN = /^\/[\x21-\x7e]{0,255}$/;

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

interface BeginRpcDeps extends BeginDeps {
  readonly seal: Seal;
  readonly logger: Logger;
}

async function begin(deps: BeginRpcDeps, request: account.BeginRequest): Promise<account.BeginResponse> {
  const faults = faultsOf(request);
  if (faults.length > 0) throw invalidArgument(faults);
  const outcome = await beginCall(deps, request);
  if (outcome.kind === 'started' && outcome.fence > 1)
    deps.logger.warn({ operation_id: outcome.operationId, fence: outcome.fence }, 'call taken over');
  return { outcome: toProto(outcome, deps.seal) };
}

function toProto(outcome: BeginOutcome, seal: Seal): account.BeginResponse['outcome'] {
  switch (outcome.kind) {
    case 'started':
      return { $case: 'begun', value: { operationId: outcome.operationId, fence: outcome.fence } };
    case 'running':
      return { $case: 'running', value: {} };
    case 'mismatch':
      return { $case: 'mismatch', value: {} };
    case 'stored': {
      const answer = seal.open(outcome.operationId, outcome.sealedAnswer);
      if (answer === undefined) throw internal({ detail: `the answer of ${outcome.operationId} was sealed with another ANSWER_SECRET` });
      return { $case: 'stored', value: account.StoredAnswer.decode(answer) };
    }
  }
}

function faultsOf(request: account.BeginRequest): Fault[] {
  const rules: [field: string, holds: boolean, message: string][] = [
    ['method', METHOD_PATTERN.test(request.method), 'must be an HTTP method'],
    ['route', ROUTE_PATTERN.test(request.route), 'must be a path of at most 256 characters'],
    ['idempotency_key', KEY_PATTERN.test(request.idempotencyKey), 'must be 1 to 255 visible ASCII characters'],
  ];
  return [
    ...idFaults('tenant_id', request.tenantId),
    ...rules.filter(([, holds]) => !holds).map(([field, , message]) => ({ field, message, type: 'out_of_range' })),
    ...digestFaults('body_digest', request.bodyDigest),
  ];
}

interface FinishDeps extends EndDeps {
  readonly seal: Seal;
}

async function finish(deps: FinishDeps, request: account.FinishRequest): Promise<account.FinishResponse> {
  const { answer, operationId } = request;
  const isAnswer = answer !== undefined && answer.status >= 100 && answer.status <= 599;
  const faults: Fault[] = [
    ...heldFaults(request),
    ...(isAnswer ? [] : [{ field: 'answer', message: 'is required, with an HTTP status', type: 'required' }]),
  ];
  if (faults.length > 0 || answer === undefined) throw invalidArgument(faults);
  await finishCall(deps, request, deps.seal.seal(operationId, account.StoredAnswer.encode(answer).finish()));
  return {};
}

async function abandon(deps: EndDeps, request: account.AbandonRequest): Promise<account.AbandonResponse> {
  refuseFaults(heldFaults(request));
  await abandonCall(deps, request);
  return {};
}

function heldFaults({ tenantId, operationId }: CallTry): Fault[] {
  return [...idFaults('tenant_id', tenantId), ...idFaults('operation_id', operationId)];
}

export function bindIdempotencyService(deps: BeginRpcDeps): BoundService {
  return bindService(account.IdempotencyServiceService, withDeps(deps, { begin, finish, abandon }), orUnavailable('account'));
}
