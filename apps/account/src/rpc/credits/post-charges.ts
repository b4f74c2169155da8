import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument, isServiceError, type ServiceError } from '@market-state/errors';
import { toPartialFailure } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { idFaults, instantFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { BatchResult, PostBatches, Batch } from '../../credits/post-charges';
import { callerFaults, pricedFaults } from './wire';

const BATCHES_MAX = 100;
const CHARGES_MAX = 2_000;

interface PostChargesDeps {
  readonly postBatches: PostBatches;
  readonly logger: Logger;
}

export async function postCharges(
  { postBatches, logger }: PostChargesDeps,
  { batches }: account.PostChargesRequest,
): Promise<account.PostChargesResponse> {
  refuseFaults(requestFaults(batches));
  const read = batches.map(fromProtoBatch);
  const good = read.filter((batch): batch is Batch => !isServiceError(batch));
  const results = await postBatches(good);
  const resultOf = new Map(good.map((batch, index) => [batch, results[index]]));
  for (const [{ leaseId, number }, result] of resultOf) {
    if (isServiceError(result) && result.code === 'INTERNAL')
      logger.error({ lease_id: leaseId, batch: number, err: result }, 'charging a batch failed');
  }
  return { outcomes: read.map((batch) => ({ outcome: toProtoOutcome(isServiceError(batch) ? batch : resultOf.get(batch)) })) };
}

function requestFaults(batches: readonly account.ChargeBatch[]): Fault[] {
  const chargeTotal = batches.reduce((sum, batch) => sum + chargeTotalOf(batch), 0);
  const isTwice = new Set(batches.map(({ leaseId }) => leaseId)).size < batches.length;
  return [
    ...(batches.length >= 1 && batches.length <= BATCHES_MAX
      ? []
      : [{ field: 'batches', message: `must be 1 to ${BATCHES_MAX}`, type: 'out_of_range' }]),
    ...(chargeTotal <= CHARGES_MAX
      ? []
      : [{ field: 'batches', message: `must contain at most ${CHARGES_MAX} charges, not ${chargeTotal}`, type: 'out_of_range' }]),
    ...(isTwice ? [{ field: 'batches', message: 'must be for different leases', type: 'duplicate' }] : []),
  ];
}

function chargeTotalOf({ charges, groups }: account.ChargeBatch): number {
  return groups.reduce((sum, { operationIds }) => sum + operationIds.length, charges.length);
}

/** Returns an error with all faults if the batch is malformed. */
function fromProtoBatch(sent: account.ChargeBatch): Batch | ServiceError {
  const { leaseId, batch, charges, groups } = sent;
  let caller: account.Caller | undefined;
  let priced: account.Priced | undefined;
  const faults: Fault[] = [
    ...idFaults('lease_id', leaseId),
    ...(batch >= 1 ? [] : [{ field: 'batch', message: 'must be at least 1', type: 'out_of_range' }]),
    ...(chargeTotalOf(sent) >= 1 ? [] : [{ field: 'charges', message: 'must be at least 1', type: 'out_of_range' }]),
  ];
  const receipts = charges.flatMap((charge, index) => {
    const isFirst = index === 0;
    faults.push(...chargeFaults(`charges[${index}]`, charge, isFirst));
    caller = charge.caller ?? caller;
    priced = charge.priced ?? priced;
    const { operationId, requestId, status, servedTsMs } = charge;
    return caller === undefined || priced === undefined
      ? []
      : [{ tenantId: caller.tenantId, operationId, requestId, caller, priced, status, servedMs: servedTsMs }];
  });
  faults.push(...groups.flatMap((group, index) => groupFaults(`groups[${index}]`, group)));
  return faults.length > 0
    ? invalidArgument(faults)
    : { leaseId, number: batch, charges: [...receipts, ...groups.flatMap(fromProtoGroup).sort((a, b) => a.servedMs - b.servedMs)] };
}

function fromProtoGroup({ caller, priced, status, operationIds, requestIds, servedTsMs }: account.ChargeGroup): Batch['charges'] {
  if (caller === undefined || priced === undefined) return [];
  return operationIds.map((operationId, at) => ({
    tenantId: caller.tenantId,
    operationId,
    requestId: requestIds[at] ?? '',
    caller,
    priced,
    status,
    servedMs: servedTsMs[at] ?? 0,
  }));
}

function groupFaults(field: string, { operationIds, requestIds, servedTsMs, caller, priced, status }: account.ChargeGroup): Fault[] {
  const total = operationIds.length;
  return [
    ...(total >= 1 ? [] : [{ field: `${field}.operation_ids`, message: 'must be at least 1', type: 'out_of_range' }]),
    ...(requestIds.length === total && servedTsMs.length === total
      ? []
      : [{ field, message: `must list a request id and a time for each of its ${total} operations`, type: 'mismatch' }]),
    ...operationIds.flatMap((id, index) => idFaults(`${field}.operation_ids[${index}]`, id)),
    ...requestIds.flatMap((id, index) => optionalIdFaults(`${field}.request_ids[${index}]`, id)),
    ...servedTsMs.flatMap((instant, index) => instantFaults(`${field}.served_ts_ms[${index}]`, instant)),
    ...callerFaults(`${field}.caller`, caller),
    ...chargedFaults(field, priced, status),
  ];
}

function chargeFaults(field: string, charge: account.Charge, isFirst: boolean): Fault[] {
  const repeatsPrice = !isFirst && charge.priced === undefined;
  return [
    ...idFaults(`${field}.operation_id`, charge.operationId),
    ...optionalIdFaults(`${field}.request_id`, charge.requestId),
    ...instantFaults(`${field}.served_ts_ms`, charge.servedTsMs),
    ...(isFirst || charge.caller !== undefined ? callerFaults(`${field}.caller`, charge.caller) : []),
    ...(repeatsPrice ? statusFaults(field, charge.status) : chargedFaults(field, charge.priced, charge.status)),
  ];
}

function chargedFaults(field: string, priced: account.Priced | undefined, status: number): Fault[] {
  return [
    ...pricedFaults(`${field}.priced`, priced),
    ...(priced?.observedExportCredits
      ? [{ field: `${field}.priced.observed_export_credits`, message: 'must be 0: leases hold market-state credits', type: 'out_of_range' }]
      : []),
    ...statusFaults(field, status),
  ];
}

function statusFaults(field: string, status: number): Fault[] {
  const isCharged = (status >= 200 && status <= 299) || status === 304;
  return isCharged
    ? []
    : [{ field: `${field}.status`, message: 'must be 2xx or 304: other statuses are not charged', type: 'out_of_range' }];
}

function toProtoOutcome(result: BatchResult | undefined): account.BatchOutcome['outcome'] {
  if (result === undefined || isServiceError(result)) return { $case: 'failed', value: toPartialFailure(result) };
  return { $case: 'posted', value: result };
}
