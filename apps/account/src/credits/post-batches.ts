import { type ServiceError, toServiceError, unavailable } from '@market-state/errors';
import { within } from '@market-state/lifecycle';
import type { Batch, PostedBatch } from './post-charges';

/** Batches of one call that are charged at the same time. */
const AT_ONCE = 4;
/** A batch that takes longer no longer holds up those behind it, milliseconds. */
const PATIENCE_MS = 300;
/** Time until every batch is told of, milliseconds. */
const LIMIT_MS = 1_000;

/** Charges one batch, in a transaction of its own. */
export type PostBatch = (batch: Batch) => Promise<PostedBatch>;

/** Charges batches; never rejects. */
export type PostBatches = (batches: readonly Batch[]) => Promise<BatchResult[]>;

export type BatchResult = PostedBatch | ServiceError;

/**
 * Charges batches of different leases, so that none waits for another's fault: a batch that fails, or waits for a lock,
 * fails alone. One that is under way still when it comes again is not begun twice.
 * @returns a function that never rejects; what is not known within a second is UNAVAILABLE
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
      (batch) => results.get(batch) ?? unavailable('upstream_unavailable', 'The batch is not charged yet; send it again.'),
    );
  };
}
