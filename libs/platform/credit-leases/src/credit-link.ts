import { AsyncResource } from 'node:async_hooks';
import { internal } from '@market-state/errors';
import { fromPartialFailure } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import { chargesOf, totalOf } from './charge-groups';
import type { BatchOutcome, ChargeBatch, ChargeGroup, CreditCalls, LeaseAnswer, LeaseOrder, PostedBatch } from './credit-calls';

/** Thousands of idle leases may end together; they must leave capacity for calls that need one. */
const ENDED_AT_ONCE = 8;

export type GroupedBatch = Pick<ChargeBatch, 'leaseId' | 'batch'> & { readonly groups: ChargeGroup[] };

/** Calls outlive the request that caused them. */
export interface CreditLink<Refusal> {
  takeLease(order: LeaseOrder, deadlineMs: number): Promise<LeaseAnswer<Refusal>>;
  /** Combined with other leases' batches of the same tick. */
  postCharges(batch: GroupedBatch): Promise<PostedBatch>;
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

/** Status of INVALID_ARGUMENT. */
const MALFORMED = 3;

interface Letter {
  readonly batch: GroupedBatch;
  readonly resolve: (posted: PostedBatch) => void;
  readonly reject: (reason: unknown) => void;
}

/** One call per tick of the event loop; each batch succeeds or fails on its own, unless the call fails. */
function createChargePost(credits: Pick<CreditCalls<unknown>, 'postCharges'>): (batch: GroupedBatch) => Promise<PostedBatch> {
  let waiting: Letter[] = [];

  async function outcomesOf(batches: ChargeBatch[]): Promise<BatchOutcome[]> {
    const { outcomes } = await credits.postCharges({ batches }, { deadlineMs: DEADLINE_MS });
    return batches.map((_batch, index) => outcomes[index]?.outcome);
  }

  async function send(letters: readonly Letter[]): Promise<void> {
    try {
      const outcomes = await outcomesOf(letters.map(({ batch }) => ({ ...batch, charges: [] })));
      const refused = letters.filter((_letter, index) => isMalformed(outcomes[index]));
      // The previous release of account reads only single charges. A batch that it refuses changes nothing.
      const again = refused.length === 0 ? [] : await outcomesOf(refused.map(({ batch }) => asCharges(batch)));
      letters.forEach((letter, index) => {
        const at = refused.indexOf(letter);
        report(letter, at === -1 ? outcomes[index] : again[at]);
      });
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

function isMalformed(outcome: BatchOutcome): boolean {
  return outcome?.$case === 'failed' && outcome.value.code === MALFORMED;
}

function asCharges({ leaseId, batch, groups }: GroupedBatch): ChargeBatch {
  return { leaseId, batch, charges: chargesOf(groups), groups: [] };
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

/** Account refuses a call with two batches of one lease. */
function inCalls(letters: readonly Letter[]): Letter[][] {
  const calls: Letter[][] = [];
  const leaseIds = new Set<string>();
  let chargeTotal = 0;
  for (const letter of letters) {
    const last = calls.at(-1);
    const { leaseId, groups } = letter.batch;
    const own = totalOf(groups);
    if (last !== undefined && last.length < BATCHES_MAX && chargeTotal + own <= CHARGES_MAX && !leaseIds.has(leaseId)) last.push(letter);
    else {
      calls.push([letter]);
      chargeTotal = 0;
      leaseIds.clear();
    }
    chargeTotal += own;
    leaseIds.add(leaseId);
  }
  return calls;
}
