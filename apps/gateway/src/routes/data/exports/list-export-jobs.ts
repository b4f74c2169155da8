import { WIRE_STATUSES } from '../../../clients/exports/export-words';
import { fromExports } from '../../../clients/exports/from-exports';
import { showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf } from '../../../serving/handlers/grant-of';
import type { Handler } from '../../../serving/handlers/handler';
import type { ExportsDeps } from './exports-deps';

export function listExportJobs({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'listExportJobs'> {
  return async (call) => {
    const { status, limit, cursor } = call.input.query;
    const page = await fromExports(
      exports.call.listJobs({
        tenantId: grantOf(call).tenantId,
        statuses: status === '' ? [] : [WIRE_STATUSES[status]],
        pageSize: limit,
        pageToken: cursor,
      }),
    );
    const jobs = page.jobs.map(showJob);
    const nextCursor = page.nextPageToken === '' ? null : page.nextPageToken;
    return accountAnswer(call, { jobs, row_total: jobs.length, next_cursor: nextCursor }, 'Export jobs of this tenant, newest first.');
  };
}
