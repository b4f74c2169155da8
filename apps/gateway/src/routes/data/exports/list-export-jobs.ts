import type { exports as contract } from '@market-state/contracts';
import { WIRE_STATUSES } from '../../../clients/exports/export-words';
import { fromExports } from '../../../clients/exports/from-exports';
import { showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import type { ExportsDeps } from './exports-deps';

/** Jobs that the export service gives at once. */
const PAGE_JOBS_MAX = 100;

/** Jobs of a tenant, as many as a caller wants, which may be several pages of the export service. */
export function listExportJobs({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'listExportJobs'> {
  return async (call) => {
    const { status, limit, cursor } = call.input.query;
    const statuses = status === '' ? [] : [WIRE_STATUSES[status]];
    const { tenantId } = grantOf(call);
    const found: contract.Job[] = [];
    let pageToken = cursor;
    do {
      const pageSize = Math.min(PAGE_JOBS_MAX, limit - found.length);
      const page = await fromExports(exports.call.listJobs({ tenantId, statuses, pageSize, pageToken }));
      found.push(...page.jobs);
      pageToken = page.nextPageToken;
    } while (pageToken !== '' && found.length < limit);
    const fields = {
      jobs: found.map((job) => showJob(call.operation, job)),
      row_total: found.length,
      next_cursor: pageToken === '' ? null : pageToken,
    };
    return accountAnswer(call, fields, 'Export jobs of this tenant, newest first.');
  };
}
