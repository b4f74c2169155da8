import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { idFaults, refuseFaults, laterInstantFaults, optionalIdFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits/credits';
import * as ledger from '../../credits/reservation';
import { artifactFaults, callerFaults, pricedFaults, toProtoRefusal, keyIdFaults } from './wire';
import * as charges from '../../credits/post-charges';
import * as leases from '../../credits/leases';
import * as recalls from '../../credits/leases';

export async function* watchRecalls(
  credits: Credits,
  { gatewayId }: account.WatchRecallsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<account.WatchRecallsResponse> {
  refuseFaults(idFaults('gateway_id', gatewayId));
  for await (const leaseIds of recalls.watchRecalls(credits, gatewayId, signal)) yield { leaseIds: [...leaseIds] };
}

export async function takeLease(
  credits: Credits,
  request: account.TakeLeaseRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<account.TakeLeaseResponse> {
  refuseFaults([
    ...idFaults('tenant_id', request.tenantId),
    ...idFaults('gateway_id', request.gatewayId),
    ...keyIdFaults(request.keyId),
    ...(request.wanted >= 1 ? [] : [{ field: 'wanted', message: 'must be at least 1', type: 'out_of_range' }]),
  ]);
  const outcome = await leases.takeLease(credits, { ...request, keyId: request.keyId ?? null }, signal);
  if (!outcome.isDone) return { refusal: toProtoRefusal(outcome.short) };
  const { leaseId, amount, expiresMs, lifeMs, endsAtReset, available, perCallCeiling } = outcome.value;
  return {
    lease: {
      leaseId,
      amount,
      expiresTsMs: expiresMs,
      lifeMs,
      endsAtReset,
      available,
      ...(perCallCeiling === null ? {} : { perCallCeiling }),
    },
  };
}

export async function endLease(credits: Credits, { leaseId }: account.EndLeaseRequest): Promise<account.EndLeaseResponse> {
  refuseFaults(idFaults('lease_id', leaseId));
  await charges.endLease(credits, leaseId);
  return {};
}

export async function reserve(
  credits: Credits,
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
      ? [{ field: 'expires_ts_ms', message: 'must be in the future', type: 'out_of_range' }]
      : laterInstantFaults('expires_ts_ms', expiresTsMs, credits.clock())),
  ];
  if (faults.length > 0 || caller === undefined || priced === undefined) throw invalidArgument(faults);
  const outcome = await ledger.reserve(
    credits,
    { tenantId: caller.tenantId, operationId, requestId, caller, priced, expiresMs: expiresTsMs },
    signal,
  );
  if (outcome.isDone) return { reserved: true, available: outcome.value };
  return { reserved: false, refusal: toProtoRefusal(outcome.short), available: outcome.short.available };
}

export async function settle(credits: Credits, request: account.SettleRequest): Promise<account.SettleResponse> {
  refuseFaults([...idFaults('operation_id', request.operationId), ...artifactFaults('artifact_ids', request.artifactIds)]);
  const observed = { market_state: request.observedMarketStateCredits, export: request.observedExportCredits };
  return { receiptId: await ledger.settle(credits, request.operationId, { credits: observed, artifactIds: request.artifactIds }) };
}

export async function release(credits: Credits, { operationId }: account.ReleaseRequest): Promise<account.ReleaseResponse> {
  refuseFaults(idFaults('operation_id', operationId));
  await ledger.release(credits, operationId);
  return {};
}
