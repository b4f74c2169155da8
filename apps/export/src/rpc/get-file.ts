import type { exports } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { findFile, type StoredFile } from '../store/files';
import type { RpcDeps } from './deps';
import { requireReadyJob } from './find-job';
import { toProtoFile } from './to-proto';

/**
 * A file of a ready job.
 * @throws ServiceError as `requireReadyJob`, and NOT_FOUND `unknown_file`
 */
export async function requireFile(
  deps: Pick<RpcDeps, 'pool'>,
  { tenantId, jobId, name }: Pick<exports.GetFileRequest, 'tenantId' | 'jobId' | 'name'>,
): Promise<StoredFile> {
  const job = await requireReadyJob(deps, tenantId, jobId);
  const file = await findFile(deps.pool, job, name);
  if (file === undefined) throw notFound('unknown_file', 'The export has no such file.');
  return file;
}

export async function getFile(deps: RpcDeps, request: exports.GetFileRequest): Promise<exports.GetFileResponse> {
  return { file: toProtoFile(await requireFile(deps, request)) };
}
