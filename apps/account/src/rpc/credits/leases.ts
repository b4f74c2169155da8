import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { endLease, postCharges } from '../../credits/post-charges';
import { takeLease } from '../../credits/take-lease';
import { watchRecalls } from '../../credits/watch-recalls';
import { callerFaults, idFaults, pricedFaults, toProtoRefusal } from './wire';

const CHARGES_MAX = 2_000;

export function createTakeLease(credits: Credits) {
  return async function takeLeaseRpc(request: account.TakeLeaseRequest, { signal }: Pick<CallContext, 'signal'>): Promise<account.TakeLeaseResponse> {
    refuse([
      ...idFaults('tenant_id', request.tenantId),
      ...idFaults('gateway_id', request.gatewayId),
      ...(request.wanted >= 1 ? [] : [{ field: 'wanted', message: 'must be 1 or more', type: 'out_of_range' }]),
    ]);
    const outcome = await takeLease(credits, request, signal);
    if (!outcome.isDone) return { refusal: toProtoRefusal(outcome.short) };
    const { leaseId, amount, expiresMs, endsAtReset, available, perCallCeiling } = outcome.value;
    return { lease: { leaseId, amount, expiresTsMs: expiresMs, endsAtReset, available, ...(perCallCeiling === null ? {} : { perCallCeiling }) } };
  };
}

export function createPostCharges(credits: Credits) {
  return async function postChargesRpc({ leaseId, batch, charges }: account.PostChargesRequest): Promise<account.PostChargesResponse> {
    refuse([
      ...idFaults('lease_id', leaseId),
      ...(batch >= 1 ? [] : [{ field: 'batch', message: 'must be 1 or more', type: 'out_of_range' }]),
      ...(charges.length >= 1 && charges.length <= CHARGES_MAX ? [] : [{ field: 'charges', message: `must be 1 to ${CHARGES_MAX}`, type: 'out_of_range' }]),
      ...charges.flatMap((charge, index) => chargeFaults(`charges[${index}]`, charge)),
    ]);
    return postCharges(credits, {
      leaseId,
      number: batch,
      charges: charges.flatMap(({ operationId, requestId, caller, priced, status, servedTsMs }) =>
        caller === undefined || priced === undefined ? [] : [{ tenantId: caller.tenantId, operationId, requestId, caller, priced, status, servedMs: servedTsMs }],
      ),
    });
  };
}

export function createEndLease(credits: Credits) {
  return async function endLeaseRpc({ leaseId }: account.EndLeaseRequest): Promise<account.EndLeaseResponse> {
    await endLease(credits, leaseId);
    return {};
  };
}

export function createWatchRecalls(credits: Credits) {
  return async function* watchRecallsRpc({ gatewayId }: account.WatchRecallsRequest, { signal }: Pick<CallContext, 'signal'>): AsyncGenerator<account.WatchRecallsResponse> {
    refuse(idFaults('gateway_id', gatewayId));
    for await (const leaseIds of watchRecalls(credits, gatewayId, signal)) yield { leaseIds: [...leaseIds] };
  };
}

function chargeFaults(field: string, charge: account.Charge): Fault[] {
  const isCharged = (charge.status >= 200 && charge.status <= 299) || charge.status === 304;
  return [
    ...idFaults(`${field}.operation_id`, charge.operationId),
    ...callerFaults(`${field}.caller`, charge.caller),
    ...pricedFaults(`${field}.priced`, charge.priced),
    ...(charge.priced?.observedExportCredits ? [{ field: `${field}.priced.observed_export_credits`, message: 'must be 0: leases hold market-state credits', type: 'out_of_range' }] : []),
    ...(isCharged ? [] : [{ field: `${field}.status`, message: 'must be 2xx or 304: nothing else is charged', type: 'out_of_range' }]),
  ];
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalidArgument(faults);
}
