import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults, laterInstantFaults, optionalIdFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/reservation';
import { artifactFaults, callerFaults, pricedFaults, toProtoRefusal } from './wire';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';

/** Sets credits aside for long work. */
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
      ? [{ field: 'expires_ts_ms', message: 'must lie in the future', type: 'out_of_range' }]
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

/** Charges what the work of a reservation came to, and gives back the rest. */
export async function settle(credits: Credits, request: account.SettleRequest): Promise<account.SettleResponse> {
  refuseFaults([...idFaults('operation_id', request.operationId), ...artifactFaults('artifact_ids', request.artifactIds)]);
  const observed = { market_state: request.observedMarketStateCredits, export: request.observedExportCredits };
  return { receiptId: await ledger.settle(credits, request.operationId, { credits: observed, artifactIds: request.artifactIds }) };
}

/** Ends a reservation without a charge. */
export async function release(credits: Credits, { operationId }: account.ReleaseRequest): Promise<account.ReleaseResponse> {
  refuseFaults(idFaults('operation_id', operationId));
  await ledger.release(credits, operationId);
  return {};
}
