import { failedPrecondition, invalidArgument, type ServiceError, toServiceError, unavailable } from '@market-state/errors';
import { within } from '@market-state/lifecycle';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { findLastBatch, lockTenantOfLease } from '../store/reservations';
import { writeReceipts } from '../store/receipts';
import type { Book, Hold } from './credit-ledger';
import type { Credits } from './credits';
import { charge, giveBack } from './hold';
import { freeOf } from './limits';
import type { Receipt } from './receipt';
import { withLockedBook } from './with-credit-ledger';

const AT_ONCE = 4;
/** A batch that takes longer no longer delays those behind it. */
const PATIENCE_MS = 300;
const LIMIT_MS = 1_000;

type PostBatch = (batch: Batch) => Promise<PostedBatch>;

export type PostBatches = (batches: readonly Batch[]) => Promise<BatchResult[]>;

export type BatchResult = PostedBatch | ServiceError;

/**
 * Charges batches independently: one that fails or waits does not affect the others. A batch that arrives again while
 * in progress is not started twice.
 * @returns a function that never rejects; results not known within a second are UNAVAILABLE
 */
export function createPostBatches(post: PostBatch): PostBatches {
  const underWay = new Map<string, Promise<BatchResult>>();

  function postOnce(batch: Batch): Promise<BatchResult> {
    const place = `${batch.leaseId} ${batch.number}`;
    const known = underWay.get(place);
    if (known !== undefined) return known;
    const posting = post(batch)
      .catch(toServiceError)
      .finally(() => underWay.delete(place));
    underWay.set(place, posting);
    return posting;
  }

  return async (batches) => {
    const results = new Map<Batch, BatchResult>();
    const waiting = [...batches];
    const tellings: Promise<unknown>[] = [];
    let isLate = false;

    async function work(): Promise<void> {
      for (let batch = waiting.shift(); batch !== undefined && !isLate; batch = waiting.shift()) {
        const own = batch;
        const telling = postOnce(own).then((result) => results.set(own, result));
        tellings.push(telling);
        await within(PATIENCE_MS, telling);
      }
    }

    async function postAll(): Promise<void> {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      await Promise.all(tellings);
    }

    await within(LIMIT_MS, postAll());
    isLate = true;
    return batches.map(
      (batch) => results.get(batch) ?? unavailable('upstream_unavailable', 'The batch has not been charged yet. Send it again.'),
    );
  };
}

export interface Batch {
  readonly leaseId: string;
  readonly number: number;
  readonly charges: readonly (Receipt & { readonly tenantId: string })[];
}

export interface PostedBatch {
  readonly available: number;
  readonly leaseLeft: number;
}

/**
 * Idempotent by batch and by call: a call with a receipt is not charged again.
 * @throws ServiceError `lease_over`; INVALID_ARGUMENT for a batch out of order, beyond the lease or of another tenant
 */
export async function postCharges(credits: Credits, batch: Batch): Promise<PostedBatch> {
  return inTransaction(credits.pool, async (client) => {
    const tenantId = await lockTenantOfLease(client, batch.leaseId);
    if (tenantId === null) throw leaseOver(credits, batch);
    return withLockedBook(client, tenantId, credits.clock(), async (book) => {
      const lease = book.holds.find(({ id }) => id === batch.leaseId);
      const lastBatch = lease?.lease?.lastBatch ?? (await findLastBatch(client, batch.leaseId));
      if (batch.number > lastBatch) {
        if (lease === undefined) throw leaseOver(credits, batch);
        await chargeBatch(client, book, lease, batch, lastBatch);
      }
      book.ceiling = book.ceilings.find(({ id }) => id === lease?.ceiling?.id) ?? null;
      return { available: freeOf(book, 'market_state'), leaseLeft: lease?.left ?? 0 };
    });
  });
}

async function chargeBatch(client: PoolClient, book: Book, lease: Hold, batch: Batch, lastBatch: number): Promise<void> {
  if (batch.number !== lastBatch + 1)
    throw invalidArgument([{ field: 'batch', message: `must be ${lastBatch + 1}, the next of this lease`, type: 'out_of_turn' }]);
  const strange = batch.charges.findIndex(({ tenantId }) => tenantId !== book.tenantId);
  if (strange !== -1)
    throw invalidArgument([
      { field: `charges[${strange}].caller.tenant_id`, message: 'must be the tenant of the lease', type: 'mismatch' },
    ]);
  const by = {
    tenantId: book.tenantId,
    planId: book.plan.planId ?? '',
    operationId: lease.id,
    part: batch.number,
    countedOnMs: lease.countedOnMs,
  };
  const amount = await writeReceipts(client, by, batch.charges);
  if (amount > lease.left)
    throw invalidArgument([
      {
        field: 'charges',
        message: `must cost at most the ${lease.left} credits the lease has left; they cost ${amount}`,
        type: 'out_of_range',
      },
    ]);
  charge(book, lease, amount, batch.number);
  if (lease.lease !== null) lease.lease.lastBatch = batch.number;
}

/** Returns a lease's remainder. Does nothing if it has ended or is unknown. */
export async function endLease(credits: Credits, leaseId: string): Promise<void> {
  await inTransaction(credits.pool, async (client) => {
    const tenantId = await lockTenantOfLease(client, leaseId);
    if (tenantId === null) return;
    await withLockedBook(client, tenantId, credits.clock(), (book) => {
      const lease = book.holds.find(({ id }) => id === leaseId);
      if (lease !== undefined) giveBack(book, lease);
    });
  });
}

function leaseOver({ logger }: Credits, { leaseId, number, charges }: Batch): Error {
  logger.warn({ lease_id: leaseId, batch: number, charges: charges.length }, 'batch refused: the lease is over');
  return failedPrecondition('lease_over', 'The lease was released; nothing more can be charged against it.');
}
