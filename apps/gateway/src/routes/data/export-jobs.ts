import type { exports as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { fromExports, showJob, jobRoute } from '../../clients/show-job';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { WIRE_STATUSES, quotedParameters, readExportRequest, toProtoSpec } from '../../clients/export-request';
import { callerOf } from '../../serving/auth/credentials';
import { newOperationId, creditsRefused } from '../../serving/metering/meter';
import { quoteExceeded, sentBounds } from '../../serving/metering/call-price';
import type { Upstreams } from '../../clients/upstreams';

export interface ExportsDeps extends Pick<Upstreams, 'exports' | 'exportedFiles'> {
  /** Signs quotes. */
  readonly quoteSecret: string;
  /** Signs download routes. */
  readonly linkSecret: string;
  readonly now: () => number;
}

/** The export service reserves the credits; this call itself is free. */
export function createExportJob({ exports, quoteSecret, now }: ExportsDeps): Handler<'createExportJob'> {
  return async (call) => {
    const grant = grantOf(call);
    const request = readExportRequest(call.input.body);
    const quoted = { operation: call.operation, input: quotedParameters(request), grant, headers: call.input.headers };
    const { maxCredits, quoteId } = sentBounds({ ...quoted, credit: 'export' }, quoteSecret, now());
    const made = await fromExports(
      exports.call.createJob({
        caller: callerOf(grant),
        planId: grant.plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        requestId: call.requestId,
        spec: toProtoSpec(request),
        quoteId,
        exportCreditsMax: maxCredits ?? undefined,
      }),
    );
    if (made.aboveBound && maxCredits !== null) throw quoteExceeded(made.exportCredits, maxCredits, 'export');
    if (made.refusal !== undefined) throw creditsRefused(made.refusal, made.exportCredits, 'export');
    const record = showJob(call.operation, made.job);
    return {
      ...accountAnswer(call, record, 'Export queued; its credits are reserved.'),
      headers: { Location: jobRoute(call.operation, record.job_id), 'X-Credits-Charged': '0' },
    };
  };
}

/** Page size limit of the export service. */
const PAGE_JOBS_MAX = 100;

export function listExportJobs({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'listExportJobs'> {
  return async (call) => {
    const { status, limit, cursor } = call.input.query;
    const statuses = status === '' ? [] : [WIRE_STATUSES[status]];
    const { tenantId } = grantOf(call);
    const found: contract.Job[] = [];
    let pageToken = cursor;
    do {
      const pageSize = Math.min(PAGE_JOBS_MAX, limit - found.length);
      const page = await fromExports(exports.call.listJobs({ tenantId, statuses, pageSize, pageToken }), 'query');
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

export function getExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.getJob({ tenantId, jobId: call.input.path.job_id }));
    return accountAnswer(call, showJob(call.operation, job), 'Current state of the export job.');
  };
}

/** Cancels a queued or running job; leaves any other unchanged. */
export function cancelExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'cancelExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.cancelJob({ tenantId, jobId: call.input.path.job_id }));
    const record = showJob(call.operation, job);
    const sentence =
      record.status === 'cancelled' ? 'Export cancelled; its reserved credits were returned.' : 'The export can no longer be cancelled.';
    return accountAnswer(call, record, sentence);
  };
}

function parsed(json: Uint8Array): object {
  const value: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'a review pack is not an object' });
  return value;
}

export function getExportJobReviewPack({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJobReviewPack'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const jobId = call.input.path.job_id;
    const { reviewPack } = await fromExports(exports.call.getReviewPack({ tenantId, jobId }));
    return accountAnswer(call, { job_id: jobId, review_pack: parsed(reviewPack) }, 'Evidence for the export.');
  };
}
