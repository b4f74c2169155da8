import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { ackOutbox, type AckOutboxDeps } from './ack-outbox';
import { listOutbox } from './list-outbox';

export function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(account.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable);
}
