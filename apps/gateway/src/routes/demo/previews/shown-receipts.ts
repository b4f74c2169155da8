import type { account } from '@market-state/contracts';
import { toUtc } from '../../../serving/meta/instant';
import { receiptFigures } from '../../../serving/answers/show-billing';
import type { Described } from '../../../serving/openapi/described';

/** What stands in place of a tenant in public. */
const SHOWN_TENANT = 'demo_tenant';

/** A receipt as anyone may see it: what a call cost, without who made it or by what id it could be asked for. */
export function showPublicReceipt({
  receiptId,
  planId,
  priced,
  status,
  servedTsMs,
}: account.ShownReceipt): Described<'CreditSpendReceipt'> {
  if (priced === undefined) throw new Error(`receipt ${receiptId} is not whole`);
  return {
    receipt_id: receiptId,
    status,
    served_at_utc: toUtc(servedTsMs),
    plan_id: planId,
    tenant_id: SHOWN_TENANT,
    ...receiptFigures(priced),
    produced_artifacts: [],
    call_to_artifact_flow: [
      { step: 'call', id: `${priced.method} ${priced.route}` },
      { step: 'receipt', id: receiptId },
    ],
    review_artifact_ids: [],
  };
}

export type PublicReceipt = Described<'CreditSpendReceipt'>;
