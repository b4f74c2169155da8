import { AsyncResource } from 'node:async_hooks';
import { internal } from '@market-state/errors';
import { fromPartialFailure } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { BatchOutcome, Caller, Charge, ChargeBatch, CreditCalls, LeaseAnswer, LeaseOrder, PostedBatch, Priced } from './credit-calls';

/** Thousands of idle leases may end together; they must leave capacity for calls that need one. */
const ENDED_AT_ONCE = 8;

/** Calls outlive the request that caused them. */
export interface CreditLink<Refusal> {
  takeLease(order: LeaseOrder, deadlineMs: number): Promise<LeaseAnswer<Refusal>>;
  /** Combined with other leases' batches of the same tick. */
  postCharges(batch: ChargeBatch): Promise<PostedBatch>;
  /**
   * Queued, a few at a time.
   * @param deadlineMs counted from sending
   * @param onTurn called on sending
   */
  endLease(leaseId: string, deadlineMs: number, onTurn: () => void): Promise<unknown>;
  /** Outside the current request, whose end must not cancel the work. */
  outside(work: () => void): void;
  /** Undeliverable work is then dropped. */
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

export const CHARGES_MAX = 2_000;
const BATCHES_MAX = 100;
/** Account answers for every batch within a second. */
const DEADLINE_MS = 2_000;

interface Letter {
  readonly batch: ChargeBatch;
  readonly resolve: (posted: PostedBatch) => void;
  readonly reject: (reason: unknown) => void;
}

/** One call per tick of the event loop; each batch succeeds or fails on its own, unless the call fails. */
function createChargePost(credits: Pick<CreditCalls<unknown>, 'postCharges'>): (batch: ChargeBatch) => Promise<PostedBatch> {
  let waiting: Letter[] = [];

  async function send(letters: readonly Letter[]): Promise<void> {
    try {
      const batches = letters.map(({ batch: { leaseId, batch, charges } }) => ({ leaseId, batch, charges: withoutRepeats(charges) }));
      const { outcomes } = await credits.postCharges({ batches }, { deadlineMs: DEADLINE_MS });
      letters.forEach((letter, index) => report(letter, outcomes[index]?.outcome));
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

function report({ resolve, reject }: Letter, outcome: BatchOutcome): void {
  switch (outcome?.$case) {
    case 'posted':
      return resolve(outcome.value);
    case 'failed':
      return reject(fromPartialFailure(outcome.value));
    case undefined:
      return reject(internal({ detail: 'account returned no outcome for a batch' }));
  }
}

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

/** Omits fields equal to those of the previous charge. */
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
