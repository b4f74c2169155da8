import { AsyncResource } from 'node:async_hooks';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import { createChargePost } from './charge-post';
import type { ChargeBatch, CreditCalls, LeaseAnswer, LeaseOrder, PostedBatch } from './credit-calls';

/**
 * Leases that go back at the same time. Those of tenants that went away end together, thousands after a minute of many keys: they must
 * leave room among the calls to account for whoever needs a lease now.
 */
const ENDED_AT_ONCE = 8;

/** Calls to the ledger that belong to no request: they outlive the call that caused them. */
export interface CreditLink<Refusal> {
  takeLease(order: LeaseOrder, deadlineMs: number): Promise<LeaseAnswer<Refusal>>;
  /** Goes out with the batches of other leases that are posted at the same time. */
  postCharges(batch: ChargeBatch): Promise<PostedBatch>;
  /**
   * Gives a lease back when its turn comes, a few at a time.
   * @param deadlineMs counted from then
   * @param onTurn called as the call goes out
   */
  endLease(leaseId: string, deadlineMs: number, onTurn: () => void): Promise<unknown>;
  /** Runs work apart from the request being served, whose end must not cancel it. */
  outside(work: () => void): void;
  /** Whether what cannot be delivered now is to be given up. */
  isClosed(): boolean;
  close(): void;
}

export function createCreditLink<Refusal>(credits: CreditCalls<Refusal>): CreditLink<Refusal> {
  const apart = new AsyncResource('metering');
  const limit = createConcurrencyLimit(ENDED_AT_ONCE);
  let closed = false;
  return {
    takeLease: (order, deadlineMs) => credits.takeLease(order, { deadlineMs }),
    postCharges: createChargePost(credits),
    endLease: (leaseId, deadlineMs, onTurn) =>
      limit(() => {
        onTurn();
        return credits.endLease({ leaseId }, { deadlineMs });
      }),
    outside: (work) => apart.runInAsyncScope(work),
    isClosed: () => closed,
    close() {
      closed = true;
    },
  };
}
