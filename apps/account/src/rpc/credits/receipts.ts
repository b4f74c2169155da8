import type { account } from '@market-state/contracts';
import { idFaults, instantFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits/credits';
import * as ledger from '../../credits/list-receipts';
import { keyIdFaults, toProtoPriced } from './wire';
import { decodeCursor, encodeCursor, foreignCursor, pageFaults } from '../page';

export async function listReceipts(credits: Credits, request: account.ListReceiptsRequest): Promise<account.ListReceiptsResponse> {
  const { tenantId, limit } = request;
  const after = decodeCursor('u1', request.cursor);
  refuseFaults([
    ...idFaults('tenant_id', tenantId),
    ...optionalIdFaults('receipt_id', request.receiptId),
    ...optionalIdFaults('request_id', request.requestId),
    ...optionalIdFaults('workload_family', request.workloadFamily),
    ...keyIdFaults(request.keyId),
    ...instantFaults('from_ts_ms', request.fromTsMs),
    ...instantFaults('to_ts_ms', request.toTsMs),
    ...pageFaults(limit, after),
  ]);
  const page = await ledger.listReceipts(credits, {
    tenantId,
    receiptId: orNull(request.receiptId),
    requestId: orNull(request.requestId),
    workloadFamily: orNull(request.workloadFamily),
    keyId: request.keyId ?? null,
    fromMs: request.fromTsMs === 0 ? null : request.fromTsMs,
    toMs: request.toTsMs === 0 ? null : request.toTsMs,
    limit,
    afterId: after?.id ?? null,
  });
  if (page === null) throw foreignCursor();
  const last = page.hasMore ? page.receipts.at(-1) : undefined;
  return {
    receipts: page.receipts.map(({ receiptId, operationId, requestId, caller, planId, priced, status, servedMs }) => ({
      receiptId,
      operationId,
      requestId,
      caller: { tenantId, ...caller },
      planId,
      priced: toProtoPriced(priced),
      status,
      servedTsMs: servedMs,
    })),
    nextCursor: last === undefined ? '' : encodeCursor('u1', { atMs: last.servedMs, id: last.receiptId }),
  };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

const USAGE_SPAN_MS_MAX = 366 * 86_400_000;

export async function getUsage(
  credits: Credits,
  { tenantId, fromTsMs, toTsMs, workloadFamily, keyId }: account.GetUsageRequest,
): Promise<account.GetUsageResponse> {
  const isSpan = toTsMs > fromTsMs && toTsMs - fromTsMs <= USAGE_SPAN_MS_MAX;
  refuseFaults([
    ...idFaults('tenant_id', tenantId),
    ...instantFaults('from_ts_ms', fromTsMs),
    ...(isSpan
      ? instantFaults('to_ts_ms', toTsMs)
      : [{ field: 'to_ts_ms', message: 'must be after from_ts_ms, by at most 366 days', type: 'out_of_range' }]),
    ...optionalIdFaults('workload_family', workloadFamily),
    ...keyIdFaults(keyId),
  ]);
  const rows = await ledger.getUsage(credits, {
    tenantId,
    fromMs: fromTsMs,
    toMs: toTsMs,
    workloadFamily: workloadFamily === '' ? null : workloadFamily,
    keyId: keyId ?? null,
  });
  return { rows: rows.map(({ dayMs, ...row }) => ({ dayTsMs: dayMs, ...row })) };
}
