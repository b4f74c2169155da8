import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import { whileAvailable } from '../while-available';
import { type BeginRpcDeps, createBegin } from './begin';
import { createAbandon, createFinish } from './end';

export function bindIdempotencyService(deps: BeginRpcDeps): BoundService {
  return bindService(account.IdempotencyServiceService, {
    begin: whileAvailable(createBegin(deps)),
    finish: whileAvailable(createFinish(deps)),
    abandon: whileAvailable(createAbandon(deps)),
  });
}
