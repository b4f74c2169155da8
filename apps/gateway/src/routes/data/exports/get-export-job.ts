import { fromExports } from '../../../clients/exports/from-exports';
import { showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import type { ExportsDeps } from './exports-deps';

export function getExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.getJob({ tenantId, jobId: call.input.path.job_id }));
    return accountAnswer(call, showJob(call.operation, job), 'The export job as it is now.');
  };
}
