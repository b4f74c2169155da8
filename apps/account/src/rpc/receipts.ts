import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../credits/credits';
import { listReceipts } from '../credits/list-receipts';
import { findTenantByName } from '../store/tenants';
import { toProtoPriced } from './credits/wire';

const LIMIT_MAX = 100;

interface ShownReceiptDeps extends Credits {
  readonly shownTenant?: string;
}

/** Newest receipts of the public tenant, without caller ids. */
async function listShownReceipts(
  { shownTenant, ...credits }: ShownReceiptDeps,
  { limit, servedBeforeTsMs }: account.ListShownReceiptsRequest,
): Promise<account.ListShownReceiptsResponse> {
  refuseFaults(rangeFaults('limit', limit, 1, LIMIT_MAX));
  const tenantId = shownTenant === undefined ? null : await findTenantByName(credits.pool, shownTenant);
  if (tenantId === null) return { receipts: [] };
  const toMs = servedBeforeTsMs === 0 ? null : servedBeforeTsMs;
  const page = await listReceipts(credits, {
    tenantId,
    receiptId: null,
    requestId: null,
    workloadFamily: null,
    keyId: null,
    fromMs: null,
    toMs,
    limit,
    afterId: null,
  });
  return {
    receipts: (page?.receipts ?? []).map(({ receiptId, planId, priced, status, servedMs }) => ({
      receiptId,
      planId,
      priced: { ...toProtoPriced(priced), quoteId: '', artifactIds: [] },
      status,
      servedTsMs: servedMs,
    })),
  };
}

export function bindShownReceiptService(deps: ShownReceiptDeps): BoundService {
  return bindService(account.ShownReceiptServiceService, withDeps(deps, { listShownReceipts }), orUnavailable('account'));
}
