import type { account } from '@market-state/contracts';
import { toUtc } from '../../../serving/meta/instant';
import { receiptFigures } from '../../../serving/answers/show-billing';
import type { Described } from '../../../serving/openapi/described';

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

/** What led from the call to what it made, in order. */
function flowOf(
  { requestId, operationId, receiptId }: account.Receipt,
  artifactIds: readonly string[],
): Described<'UsageReceipt'>['call_to_artifact_flow'] {
  return [
    { step: 'call', id: requestId },
    { step: 'charge', id: operationId },
    ...artifactIds.map((id) => ({ step: 'artifact' as const, id })),
    { step: 'receipt', id: receiptId },
  ];
}

/** A usage receipt as the contract has it, and what it is of. */
export function showReceipt(receipt: account.Receipt): Described<'UsageReceipt'> {
  const { priced, caller } = receipt;
  if (priced === undefined || caller === undefined) throw new Error(`receipt ${receipt.receiptId} is not whole`);
  return {
    receipt_id: receipt.receiptId,
    request_id: receipt.requestId,
    operation_id: receipt.operationId,
    status: receipt.status,
    served_at_utc: toUtc(receipt.servedTsMs),
    plan_id: receipt.planId,
    tenant_id: caller.tenantId,
    key_id: orNull(caller.keyId),
    account_id: orNull(caller.accountId),
    ...receiptFigures(priced),
    quote_id: orNull(priced.quoteId),
    produced_artifacts: priced.artifactIds.map((artifactId) => ({
      artifact_id: artifactId,
      produced_by: `${priced.method} ${priced.route}`,
    })),
    call_to_artifact_flow: flowOf(receipt, priced.artifactIds),
    review_artifact_ids: [...priced.artifactIds],
  };
}
