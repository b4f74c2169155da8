import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { fromPartialFailure, type GrpcClient } from '@market-state/grpc';

/** Posts one batch; throws the ServiceError that it failed with. */
export async function postBatch(
  { call }: Pick<GrpcClient<account.CreditServiceService>, 'call'>,
  batch: account.ChargeBatch,
  signal?: AbortSignal,
): Promise<account.PostedBatch> {
  const { outcomes } = await call.postCharges({ batches: [batch] }, { signal });
  const outcome = outcomes[0]?.outcome;
  if (outcome?.$case === 'posted') return outcome.value;
  throw outcome === undefined ? new Error('account told no outcome of a batch') : fromPartialFailure(outcome.value);
}

const TRIES_MAX = 20;

/** As postBatch, sent again as long as what became of it is not known. */
export async function postUntilKnown(
  client: Pick<GrpcClient<account.CreditServiceService>, 'call'>,
  batch: account.ChargeBatch,
): Promise<account.PostedBatch> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await postBatch(client, batch);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'UNAVAILABLE' || tries === TRIES_MAX) throw error;
    }
  }
}
