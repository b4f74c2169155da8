import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { endLease } from '../../credits/post-charges';
import { takeLease } from '../../credits/take-lease';
import { watchRecalls } from '../../credits/watch-recalls';
import { idFaults, refuseFaults } from '../fields';
import { toProtoRefusal } from './wire';

export function createTakeLease(credits: Credits) {
  return async function takeLeaseRpc(
    request: account.TakeLeaseRequest,
    { signal }: Pick<CallContext, 'signal'>,
  ): Promise<account.TakeLeaseResponse> {
    refuseFaults([
      ...idFaults('tenant_id', request.tenantId),
      ...idFaults('gateway_id', request.gatewayId),
      ...(request.wanted >= 1 ? [] : [{ field: 'wanted', message: 'must be 1 or more', type: 'out_of_range' }]),
    ]);
    const outcome = await takeLease(credits, request, signal);
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
  };
}

export function createEndLease(credits: Credits) {
  return async function endLeaseRpc({ leaseId }: account.EndLeaseRequest): Promise<account.EndLeaseResponse> {
    refuseFaults(idFaults('lease_id', leaseId));
    await endLease(credits, leaseId);
    return {};
  };
}

export function createWatchRecalls(credits: Credits) {
  return async function* watchRecallsRpc(
    { gatewayId }: account.WatchRecallsRequest,
    { signal }: Pick<CallContext, 'signal'>,
  ): AsyncGenerator<account.WatchRecallsResponse> {
    refuseFaults(idFaults('gateway_id', gatewayId));
    for await (const leaseIds of watchRecalls(credits, gatewayId, signal)) yield { leaseIds: [...leaseIds] };
  };
}
