import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/watch-recalls';

/** Leases of a gateway as they are recalled. */
export async function* watchRecalls(
  credits: Credits,
  { gatewayId }: account.WatchRecallsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<account.WatchRecallsResponse> {
  refuseFaults(idFaults('gateway_id', gatewayId));
  for await (const leaseIds of ledger.watchRecalls(credits, gatewayId, signal)) yield { leaseIds: [...leaseIds] };
}
