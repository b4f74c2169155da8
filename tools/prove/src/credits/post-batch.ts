import type { account } from '@market-state/contracts';
import { fromPartialFailure, type GrpcClient } from '@market-state/grpc';

/** Posts one batch; throws the ServiceError that it failed with. */
export async function postBatch({ call }: Pick<GrpcClient<account.CreditServiceService>, 'call'>, batch: account.ChargeBatch, signal?: AbortSignal): Promise<account.PostedBatch> {
  const { outcomes } = await call.postCharges({ batches: [batch] }, { signal });
  const outcome = outcomes[0]?.outcome;
  if (outcome?.$case === 'posted') return outcome.value;
  throw outcome === undefined ? new Error('account told no outcome of a batch') : fromPartialFailure(outcome.value);
}
