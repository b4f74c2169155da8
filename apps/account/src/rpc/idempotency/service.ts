import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { abandon } from './abandon';
import { begin, type BeginRpcDeps } from './begin';
import { finish } from './finish';

export function bindIdempotencyService(deps: BeginRpcDeps): BoundService {
  return bindService(account.IdempotencyServiceService, withDeps(deps, { begin, finish, abandon }), orUnavailable);
}
