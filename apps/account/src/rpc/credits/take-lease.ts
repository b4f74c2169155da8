import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/take-lease';
import { keyIdFaults, toProtoRefusal } from './wire';

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
  const outcome = await ledger.takeLease(credits, { ...request, keyId: request.keyId ?? null }, signal);
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
