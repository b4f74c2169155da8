import { exports } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { ackOutbox, type AckOutboxDeps } from './ack-outbox';
import { orUnavailable } from './database-error';
import { listOutbox } from './list-outbox';

export function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(exports.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable);
}
