import type { account } from '@market-state/contracts';
import type { Credits } from '../../credits';
import { getBalances } from '../../credits/balances';
import { listReceipts } from '../../credits/list-receipts';
import { getUsage } from '../../credits/usage';
import { idFaults, instantFaults, optionalIdFaults, refuseFaults } from '../fields';
import { decodeCursor, encodeCursor, foreignCursor, pageFaults } from '../page';
import { toProtoKind, toProtoPriced } from './wire';

const USAGE_SPAN_MS_MAX = 366 * 86_400_000;

export function createGetBalances(credits: Credits) {
  return async function getBalancesRpc({ tenantId }: account.GetBalancesRequest): Promise<account.GetBalancesResponse> {
    refuseFaults(idFaults('tenant_id', tenantId));
    const { balances, grants } = await getBalances(credits, tenantId);
    return {
      balances: balances.map(({ kind, ...balance }) => ({ kind: toProtoKind(kind), ...balance })),
      grants: grants.map(({ id, source, kind, amount, left, grantedMs, expiresMs }) => ({
        grantId: id,
        source,
        kind: toProtoKind(kind),
        amount,
        left,
        grantedTsMs: grantedMs,
        expiresTsMs: expiresMs ?? 0,
      })),
    };
  };
}

export function createGetUsage(credits: Credits) {
  return async function getUsageRpc({
    tenantId,
    fromTsMs,
    toTsMs,
    workloadFamily,
  }: account.GetUsageRequest): Promise<account.GetUsageResponse> {
    const isSpan = toTsMs > fromTsMs && toTsMs - fromTsMs <= USAGE_SPAN_MS_MAX;
    refuseFaults([
      ...idFaults('tenant_id', tenantId),
      ...instantFaults('from_ts_ms', fromTsMs),
      ...(isSpan
        ? instantFaults('to_ts_ms', toTsMs)
        : [{ field: 'to_ts_ms', message: 'must lie after from_ts_ms, at most 366 days', type: 'out_of_range' }]),
      ...optionalIdFaults('workload_family', workloadFamily),
    ]);
    const rows = await getUsage(credits, { tenantId, fromMs: fromTsMs, toMs: toTsMs, workloadFamily: orNull(workloadFamily) });
    return { rows: rows.map(({ dayMs, ...row }) => ({ dayTsMs: dayMs, ...row })) };
  };
}

export function createListReceipts(credits: Credits) {
  return async function listReceiptsRpc(request: account.ListReceiptsRequest): Promise<account.ListReceiptsResponse> {
    const { tenantId, limit } = request;
    const after = decodeCursor('u1', request.cursor);
    refuseFaults([
      ...idFaults('tenant_id', tenantId),
      ...optionalIdFaults('receipt_id', request.receiptId),
      ...optionalIdFaults('request_id', request.requestId),
      ...optionalIdFaults('workload_family', request.workloadFamily),
      ...instantFaults('from_ts_ms', request.fromTsMs),
      ...instantFaults('to_ts_ms', request.toTsMs),
      ...pageFaults(limit, after),
    ]);
    const page = await listReceipts(credits, {
      tenantId,
      receiptId: orNull(request.receiptId),
      requestId: orNull(request.requestId),
      workloadFamily: orNull(request.workloadFamily),
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
  };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
