import { exports } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { cancelJob } from './cancel-job';
import { createJob } from './create-job';
import { orUnavailable } from './database-error';
import type { RpcDeps } from './deps';
import { getFile } from './get-file';
import { getJob } from './get-job';
import { getResult } from './get-result';
import { getReviewPack } from './get-review-pack';
import { listJobs } from './list-jobs';
import { planExport } from './plan-export';
import { readFile } from './read-file';

export function bindExportService(deps: RpcDeps): BoundService {
  const handlers = { planExport, createJob, getJob, listJobs, cancelJob, getResult, getReviewPack, getFile, readFile };
  return bindService(exports.ExportServiceService, withDeps(deps, handlers), orUnavailable);
}
