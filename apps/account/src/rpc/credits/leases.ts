import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as charges from '../../credits/post-charges';
import type { CallContext } from '@market-state/grpc';
import * as leases from '../../credits/take-lease';
import { keyIdFaults, toProtoRefusal } from './wire';
import * as recalls from '../../credits/recall';

/** Leases of a gateway as they are recalled. */
export async function* watchRecalls(
  credits: Credits,
  { gatewayId }: account.WatchRecallsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<account.WatchRecallsResponse> {
  refuseFaults(idFaults('gateway_id', gatewayId));
  for await (const leaseIds of recalls.watchRecalls(credits, gatewayId, signal)) yield { leaseIds: [...leaseIds] };
}

/** Sets credits of a tenant aside for a gateway. */
export async function takeLease(
  credits: Credits,
  request: account.TakeLeaseRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<account.TakeLeaseResponse> {
  refuseFaults([
    ...idFaults('tenant_id', request.tenantId),
    ...idFaults('gateway_id', request.gatewayId),
    ...keyIdFaults(request.keyId),
    ...(request.wanted >= 1 ? [] : [{ field: 'wanted', message: 'must be 1 or more', type: 'out_of_range' }]),
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

/** Gives back what a lease has left. */
export async function endLease(credits: Credits, { leaseId }: account.EndLeaseRequest): Promise<account.EndLeaseResponse> {
  refuseFaults(idFaults('lease_id', leaseId));
  await charges.endLease(credits, leaseId);
  return {};
}
