import { exports } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import type { RpcDeps } from './deps';
import { getFile, readFile } from './files';
import { cancelJob, getJob, getResult, getReviewPack, listJobs } from './jobs';
import { createJob, planExport } from './orders';
import { ackOutbox, type AckOutboxDeps, listOutbox } from './outbox';

export function bindExportService(deps: RpcDeps): BoundService {
  const handlers = { planExport, createJob, getJob, listJobs, cancelJob, getResult, getReviewPack, getFile, readFile };
  return bindService(exports.ExportServiceService, withDeps(deps, handlers), orUnavailable('export'));
}

export function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(exports.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable('export'));
}
