import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/reservation';

/** Ends a reservation without a charge. */
export async function release(credits: Credits, { operationId }: account.ReleaseRequest): Promise<account.ReleaseResponse> {
  refuseFaults(idFaults('operation_id', operationId));
  await ledger.release(credits, operationId);
  return {};
}
