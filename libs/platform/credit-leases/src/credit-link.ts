import { AsyncResource } from 'node:async_hooks';
import { internal } from '@market-state/errors';
import { fromPartialFailure } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { BatchOutcome, Caller, Charge, ChargeBatch, CreditCalls, LeaseAnswer, LeaseOrder, PostedBatch, Priced } from './credit-calls';

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

/** Charges in one call, and in one batch. */
export const CHARGES_MAX = 2_000;
const BATCHES_MAX = 100;
/** Time of one call; account answers for every batch within a second. Milliseconds. */
const DEADLINE_MS = 2_000;

interface Letter {
  readonly batch: ChargeBatch;
  readonly resolve: (posted: PostedBatch) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Posts batches to account: those that are given in one turn of the event loop go out in one call. Each batch succeeds or
 * fails by itself, as a ServiceError; all of a call that fails do.
 */
function createChargePost(credits: Pick<CreditCalls<unknown>, 'postCharges'>): (batch: ChargeBatch) => Promise<PostedBatch> {
  let waiting: Letter[] = [];

  async function send(letters: readonly Letter[]): Promise<void> {
    try {
      const batches = letters.map(({ batch: { leaseId, batch, charges } }) => ({ leaseId, batch, charges: withoutRepeats(charges) }));
      const { outcomes } = await credits.postCharges({ batches }, { deadlineMs: DEADLINE_MS });
      letters.forEach((letter, index) => tell(letter, outcomes[index]?.outcome));
    } catch (thrown) {
      for (const { reject } of letters) reject(thrown);
    }
  }

  return (batch) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ batch, resolve, reject }) > 1) return;
      queueMicrotask(() => {
        const letters = waiting;
        waiting = [];
        for (const call of inCalls(letters)) void send(call);
      });
    });
}

function tell({ resolve, reject }: Letter, outcome: BatchOutcome): void {
  switch (outcome?.$case) {
    case 'posted':
      return resolve(outcome.value);
    case 'failed':
      return reject(fromPartialFailure(outcome.value));
    case undefined:
      return reject(internal({ detail: 'account told no outcome of a batch' }));
  }
}

/** As few calls as the limits of one allow. */
function inCalls(letters: readonly Letter[]): Letter[][] {
  const calls: Letter[][] = [];
  let chargeTotal = 0;
  for (const letter of letters) {
    const last = calls.at(-1);
    chargeTotal += letter.batch.charges.length;
    if (last !== undefined && last.length < BATCHES_MAX && chargeTotal <= CHARGES_MAX) last.push(letter);
    else {
      calls.push([letter]);
      chargeTotal = letter.batch.charges.length;
    }
  }
  return calls;
}

/** The same charges, each without what it has in common with the one before it. */
function withoutRepeats(charges: readonly Charge[]): Charge[] {
  return charges.map((charge, index) => {
    const before = charges[index - 1];
    if (before?.caller === undefined || before.priced === undefined || charge.caller === undefined || charge.priced === undefined)
      return charge;
    const caller = isSameCaller(before.caller, charge.caller) ? undefined : charge.caller;
    const priced = isSamePriced(before.priced, charge.priced) ? undefined : charge.priced;
    if (caller !== undefined && priced !== undefined) return charge;
    const { operationId, requestId, status, servedTsMs } = charge;
    return { operationId, requestId, caller, priced, status, servedTsMs };
  });
}

function isSameCaller(a: Caller, b: Caller): boolean {
  return a === b || (a.keyId === b.keyId && a.accountId === b.accountId && a.tenantId === b.tenantId);
}

function isSamePriced(a: Priced, b: Priced): boolean {
  if (a === b) return true;
  return (
    a.route === b.route &&
    a.method === b.method &&
    a.observedMarketStateCredits === b.observedMarketStateCredits &&
    a.estimatedMarketStateCredits === b.estimatedMarketStateCredits &&
    a.observedExportCredits === b.observedExportCredits &&
    a.estimatedExportCredits === b.estimatedExportCredits &&
    a.workloadFamily === b.workloadFamily &&
    a.priceVersion === b.priceVersion &&
    a.quoteId === b.quoteId &&
    a.artifactIds.length === 0 &&
    b.artifactIds.length === 0
  );
}
