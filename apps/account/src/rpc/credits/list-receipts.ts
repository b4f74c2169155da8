import type { account } from '@market-state/contracts';
import { idFaults, instantFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/list-receipts';
import { decodeCursor, encodeCursor, foreignCursor, pageFaults } from '../page';
import { keyIdFaults, toProtoPriced } from './wire';

/** A tenant's receipts, a page at a time. */
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
