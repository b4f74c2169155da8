import { quotedParameters, readExportRequest, toProtoSpec } from '../../../clients/exports/export-request';
import { fromExports } from '../../../clients/exports/from-exports';
import { jobRoute, showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { callerOf } from '../../../serving/auth/grant';
import { newOperationId } from '../../../serving/metering/meter';
import { creditsRefused } from '../../../serving/metering/credit-desk';
import { quoteExceeded, sentBounds } from '../../../serving/metering/call-price';
import type { ExportsDeps } from './exports-deps';

/** Orders an export. The export service reserves its credits; this call itself is charged nothing. */
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
      ...accountAnswer(call, record, 'The export is queued, and its credits are reserved.'),
      headers: { Location: jobRoute(call.operation, record.job_id), 'X-Credits-Charged': '0' },
    };
  };
}
