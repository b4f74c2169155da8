import { fromExports } from '../../../clients/exports/from-exports';
import { showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import type { ExportsDeps } from './exports-deps';

/** Cancels a job that is queued or running; any other is left as it is. */
export function cancelExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'cancelExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.cancelJob({ tenantId, jobId: call.input.path.job_id }));
    const record = showJob(call.operation, job);
    const sentence =
      record.status === 'cancelled'
        ? 'The export job is cancelled, and its credits were given back.'
        : 'The export job can no longer be cancelled.';
    return accountAnswer(call, record, sentence);
  };
}
