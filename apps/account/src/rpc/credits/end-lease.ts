import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/post-charges';

/** Gives back what a lease has left. */
export async function endLease(credits: Credits, { leaseId }: account.EndLeaseRequest): Promise<account.EndLeaseResponse> {
  refuseFaults(idFaults('lease_id', leaseId));
  await ledger.endLease(credits, leaseId);
  return {};
}
