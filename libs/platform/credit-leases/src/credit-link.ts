import { AsyncResource } from 'node:async_hooks';
import { createChargePost } from './charge-post';
import type { ChargeBatch, CreditCalls, LeaseAnswer, LeaseOrder, PostedBatch } from './credit-calls';

/** Calls to the ledger that belong to no request: they outlive the call that caused them. */
export interface CreditLink<Refusal> {
  takeLease(order: LeaseOrder, deadlineMs: number): Promise<LeaseAnswer<Refusal>>;
  /** Goes out with the batches of other leases that are posted at the same time. */
  postCharges(batch: ChargeBatch): Promise<PostedBatch>;
  endLease(leaseId: string, deadlineMs: number): Promise<unknown>;
  /** Runs work apart from the request being served, whose end must not cancel it. */
  outside(work: () => void): void;
  /** Whether what cannot be delivered now is to be given up. */
  isClosed(): boolean;
  close(): void;
}

export function createCreditLink<Refusal>(credits: CreditCalls<Refusal>): CreditLink<Refusal> {
  const apart = new AsyncResource('metering');
  let closed = false;
  return {
    takeLease: (order, deadlineMs) => credits.takeLease(order, { deadlineMs }),
    postCharges: createChargePost(credits),
    endLease: (leaseId, deadlineMs) => credits.endLease({ leaseId }, { deadlineMs }),
    outside: (work) => apart.runInAsyncScope(work),
    isClosed: () => closed,
    close() {
      closed = true;
    },
  };
}
