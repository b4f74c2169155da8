import type { exports } from '@market-state/contracts';
import { readPack } from '../store/publications';
import type { RpcDeps } from './deps';
import { requireReadyJob } from './find-job';

/** The evidence that was written with the files, and the charge that followed. */
export async function getReviewPack(
  deps: RpcDeps,
  { tenantId, jobId }: exports.GetReviewPackRequest,
): Promise<exports.GetReviewPackResponse> {
  const { estimatedCredits, observedCredits, receiptId, operationId, quoteId } = await requireReadyJob(deps, tenantId, jobId);
  const pack = (await readPack(deps.pool, jobId))?.reviewPack as Readonly<Record<string, unknown>>;
  const credit_receipt = {
    receipt_id: receiptId,
    operation_id: operationId,
    quote_id: quoteId === '' ? null : quoteId,
    estimated_export_credit_cost: estimatedCredits,
    observed_export_credit_cost: observedCredits,
  };
  return { reviewPack: Buffer.from(JSON.stringify({ ...pack, credit_receipt })) };
}
