import { internal } from '@market-state/errors';
import { fromExports } from '../../../clients/exports/from-exports';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import type { ExportsDeps } from './exports-deps';

function parsed(json: Uint8Array): object {
  const value: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'a review pack is no object' });
  return value;
}

export function getExportJobReviewPack({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJobReviewPack'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const jobId = call.input.path.job_id;
    const { reviewPack } = await fromExports(exports.call.getReviewPack({ tenantId, jobId }));
    return accountAnswer(call, { job_id: jobId, review_pack: parsed(reviewPack) }, 'Evidence of the export.');
  };
}
