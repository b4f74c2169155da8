import { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { bindService, type BoundService } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { listReceipts } from '../../credits/list-receipts';
import { toProtoPriced } from '../credits/wire';
import { refuseFaults } from '../fields';
import { whileAvailable } from '../while-available';

const LIMIT_MAX = 100;

/** Whose receipts anyone may see. */
export interface ShownReceiptDeps extends Credits {
  /** Name of the tenant; undefined where none is shown. */
  readonly shownTenant?: string;
}

/** The tenant of the name; null where there is none. */
async function tenantNamed({ pool }: Pick<Credits, 'pool'>, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ readonly id: string }>('SELECT "id" FROM "tenant" WHERE "name" = $1', [name]);
  return rows[0]?.id ?? null;
}

function createListShownReceipts({ shownTenant, ...credits }: ShownReceiptDeps) {
  return async function listShownReceiptsRpc({
    limit,
    servedBeforeTsMs,
  }: account.ListShownReceiptsRequest): Promise<account.ListShownReceiptsResponse> {
    const faults: Fault[] =
      limit >= 1 && limit <= LIMIT_MAX ? [] : [{ field: 'limit', message: `must be 1 to ${LIMIT_MAX}`, type: 'out_of_range' }];
    refuseFaults(faults);
    const tenantId = shownTenant === undefined ? null : await tenantNamed(credits, shownTenant);
    if (tenantId === null) return { receipts: [] };
    const toMs = servedBeforeTsMs === 0 ? null : servedBeforeTsMs;
    const page = await listReceipts(credits, {
      tenantId,
      receiptId: null,
      requestId: null,
      workloadFamily: null,
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
  };
}

export function bindShownReceiptService(deps: ShownReceiptDeps): BoundService {
  return bindService(account.ShownReceiptServiceService, { listShownReceipts: whileAvailable(createListShownReceipts(deps)) });
}
