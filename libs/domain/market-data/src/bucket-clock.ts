/** Length of the buckets of exchange time that the book is sampled by. */
const BUCKET_MS = 250;

/**
 * Says when a book is due. Buckets are [start, end) of exchange time. The book as it stood at the end of a bucket in which it
 * changed is due at the first message with exchange time at or past the end, or at the first tick at or past
 * end + closing lag − 250 ms. A change that comes after its bucket was closed belongs to the next bucket that is open.
 *
 * The order for a message is: `message`, and if it answers true publish the book, then apply the message, then `change`.
 */
export class BucketClock {
  /** Every bucket that ends at or before this is closed. */
  private closedThroughMs = Number.NEGATIVE_INFINITY;
  /** End of the bucket that waits to be closed; infinite when the book has not changed since the last one. */
  private dueMs = Number.POSITIVE_INFINITY;

  constructor(private readonly closingLagMs: number) {}

  /** A message of this exchange time has come. True when a book is due before it is applied. */
  message(exchangeTsMs: number): boolean {
    return this.close(exchangeTsMs);
  }

  /** The feed clock has come to a tick. True when a book is due before the tick is logged. */
  tick(feedClockMs: number): boolean {
    return this.close(feedClockMs - this.closingLagMs + BUCKET_MS);
  }

  /** The book changed at this exchange time. */
  change(exchangeTsMs: number): void {
    const openStart = exchangeTsMs < this.closedThroughMs ? this.closedThroughMs : startOfBucket(exchangeTsMs);
    const endMs = openStart + BUCKET_MS;
    if (!this.isPending || endMs > this.dueMs) this.dueMs = endMs;
  }

  /** Whether a change waits to be published. */
  get isPending(): boolean {
    return this.dueMs !== Number.POSITIVE_INFINITY;
  }

  /** Forgets the change that waits: the book is not known at the end of its bucket. */
  drop(): void {
    this.dueMs = Number.POSITIVE_INFINITY;
  }

  private close(throughMs: number): boolean {
    if (throughMs >= this.closedThroughMs + BUCKET_MS) this.closedThroughMs = startOfBucket(throughMs);
    if (this.dueMs > throughMs) return false;
    this.dueMs = Number.POSITIVE_INFINITY;
    return true;
  }
}

function startOfBucket(timeMs: number): number {
  return Math.floor(timeMs / BUCKET_MS) * BUCKET_MS;
}
