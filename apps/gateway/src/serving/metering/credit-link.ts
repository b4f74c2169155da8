import { AsyncResource } from 'node:async_hooks';
import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { createChargePost } from './charge-post';

/** Calls to the ledger that belong to no request: they outlive the call that caused them. */
export interface CreditLink {
  takeLease(request: account.TakeLeaseRequest, deadlineMs: number): Promise<account.TakeLeaseResponse>;
  /** Goes out with the batches of other leases that are posted at the same time. */
  postCharges(batch: account.ChargeBatch): Promise<account.PostedBatch>;
  endLease(request: account.EndLeaseRequest, deadlineMs: number): Promise<account.EndLeaseResponse>;
  /** Runs work apart from the request being served, whose end must not cancel it. */
  outside(work: () => void): void;
  /** Whether what cannot be delivered now is to be given up. */
  isClosed(): boolean;
  close(): void;
}

export function createCreditLink(credits: GrpcClient<account.CreditServiceService>): CreditLink {
  const apart = new AsyncResource('metering');
  let closed = false;
  return {
    takeLease: (request, deadlineMs) => credits.call.takeLease(request, { deadlineMs }),
    postCharges: createChargePost(credits),
    endLease: (request, deadlineMs) => credits.call.endLease(request, { deadlineMs }),
    outside: (work) => apart.runInAsyncScope(work),
    isClosed: () => closed,
    close() {
      closed = true;
    },
  };
}
