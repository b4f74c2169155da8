import type { exports } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type JobPlace, listJobs as list } from '../store/jobs';
import type { RpcDeps } from './deps';
import { toProtoJob } from './to-proto';
import { fromProtoStatus } from './words';

const PAGE_SIZE_MAX = 100;

const TOKEN = z.tuple([z.literal('x1'), z.string(), z.string(), z.int(), z.string()]);

/** Jobs of a tenant, newest first. */
export async function listJobs(deps: RpcDeps, request: exports.ListJobsRequest): Promise<exports.ListJobsResponse> {
  const { tenantId, statuses, pageSize, pageToken } = request;
  const wanted = statuses.map(fromProtoStatus);
  const after = placeOf(request);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX),
    wanted.includes(undefined) ? [{ field: 'statuses', message: 'must be states of a job', type: 'unsupported' }] : [],
    pageToken === '' || after !== undefined ? [] : strangeToken(),
  );
  const jobs = await list(deps.pool, tenantId, {
    statuses: wanted.flatMap((status) => status ?? []),
    after,
    limit: pageSize + 1,
  });
  const page = jobs.slice(0, pageSize);
  const last = page.at(-1);
  const hasMore = jobs.length > pageSize && last !== undefined;
  return {
    jobs: page.map(toProtoJob),
    nextPageToken: hasMore ? writeToken(['x1', tenantId, statuses.join(), last.createdMs, last.jobId]) : '',
  };
}

function strangeToken(): Fault[] {
  return [{ field: 'page_token', message: 'does not come from an answer to this question', type: 'malformed' }];
}

/** The place of a token of ours for the same tenant and states. */
function placeOf({ tenantId, statuses, pageToken }: exports.ListJobsRequest): JobPlace | undefined {
  const values = readToken(TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, ofStatuses, createdMs, jobId] = values;
  return ofTenant === tenantId && ofStatuses === statuses.join() ? { createdMs, jobId } : undefined;
}
