import { exports } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { RpcDeps } from './deps';
import { getFile, readFile } from './files';
import { cancelJob, getJob, getResult, getReviewPack, listJobs } from './jobs';
import { createJob, planExport } from './orders';
import { ackOutbox, type AckOutboxDeps, listOutbox } from './outbox';

export function bindExportService(deps: RpcDeps): BoundService {
  const handlers = { planExport, createJob, getJob, listJobs, cancelJob, getResult, getReviewPack, getFile, readFile };
  return bindService(exports.ExportServiceService, withDeps(deps, handlers), orUnavailable);
}

export function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(exports.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable);
}

/** What a handler threw; a failure of the database that passes by itself is UNAVAILABLE. */
function orUnavailable(thrown: unknown): unknown {
  if (!isTransientDatabaseError(thrown)) return thrown;
  return unavailable('upstream_unavailable', 'The export database does not answer.', { cause: thrown });
}
