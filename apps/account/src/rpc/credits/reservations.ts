import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { release, reserve, settle } from '../../credits/reservation';
import { endFaults, idFaults, optionalIdFaults, refuseFaults } from '../fields';
import { artifactFaults, callerFaults, pricedFaults, toProtoRefusal } from './wire';

export function createReserve(credits: Credits) {
  return async function reserveRpc(
    request: account.ReserveRequest,
    { signal }: Pick<CallContext, 'signal'>,
  ): Promise<account.ReserveResponse> {
    const { operationId, requestId, caller, priced, expiresTsMs } = request;
    const faults: Fault[] = [
      ...idFaults('operation_id', operationId),
      ...optionalIdFaults('request_id', requestId),
      ...callerFaults('caller', caller),
      ...pricedFaults('priced', priced),
      ...(expiresTsMs === 0
        ? [{ field: 'expires_ts_ms', message: 'must lie in the future', type: 'out_of_range' }]
        : endFaults('expires_ts_ms', expiresTsMs, credits.clock())),
    ];
    if (faults.length > 0 || caller === undefined || priced === undefined) throw invalidArgument(faults);
    const outcome = await reserve(
      credits,
      { tenantId: caller.tenantId, operationId, requestId, caller, priced, expiresMs: expiresTsMs },
      signal,
    );
    if (outcome.isDone) return { reserved: true, available: outcome.value };
    return { reserved: false, refusal: toProtoRefusal(outcome.short), available: outcome.short.available };
  };
}

export function createSettle(credits: Credits) {
  return async function settleRpc(request: account.SettleRequest): Promise<account.SettleResponse> {
    refuseFaults([...idFaults('operation_id', request.operationId), ...artifactFaults('artifact_ids', request.artifactIds)]);
    const observed = { market_state: request.observedMarketStateCredits, export: request.observedExportCredits };
    return { receiptId: await settle(credits, request.operationId, { credits: observed, artifactIds: request.artifactIds }) };
  };
}

export function createRelease(credits: Credits) {
  return async function releaseRpc({ operationId }: account.ReleaseRequest): Promise<account.ReleaseResponse> {
    refuseFaults(idFaults('operation_id', operationId));
    await release(credits, operationId);
    return {};
  };
}
