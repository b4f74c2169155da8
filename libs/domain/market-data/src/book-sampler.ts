import type { BookSide } from './book-side';
import { DeepBook, PublishedLevels } from './deep-book';
import type { GapReason } from './event';
import { gapIdOf, withdrawGap } from './gap-id';
import type { LogPlace, LogWriter } from './log-writer';
import type { RejectionCounts } from './rejections';

/** Length of the buckets of exchange time that the book is sampled by. */
const BUCKET_MS = 250;

/**
 * Says when a book is due. Buckets are [start, end) of exchange time. The book as it stood at the end of a bucket in which it
 * changed is due at the first message with exchange time at or past the end, or at the first tick at or past
 * end + closing lag − 250 ms. A change that comes after its bucket was closed belongs to the next bucket that is open.
 *
 * The order for a message is: `message`, and if it answers true publish the book, then apply the message, then `change`.
 */
class BucketClock {
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

/** Levels a side of a book event. */
const EVENT_LEVELS = 25;
/** A book that stays crossed this long is given up. */
const CROSSED_MS_MAX = 1_000;

/** What is known of missing changes. */
interface LossFacts {
  readonly reason?: GapReason;
  readonly mayArriveLate?: boolean;
}

/** A book kept up by changes, as the sampler sees it. */
export interface ChangingBook {
  readonly bids: BookSide;
  readonly asks: BookSide;
  /** The venue's id and exchange time of the last change that was applied. */
  readonly lastId: number;
  readonly lastChangeMs: number;
}

/**
 * Publishes a book that the venue sends as changes: its best levels at the end of each bucket of exchange time in which it
 * changed; and the gap while it can't be trusted.
 *
 * For a message: `message`, then apply it, then `changed`; or `lost`, and once a snapshot fits, `restored`, or once all that was missing
 * came late, `arrivedLate`. A change that comes while there is no book: `waits`.
 */
export class BookSampler {
  private readonly bidLevels: PublishedLevels;
  private readonly askLevels: PublishedLevels;
  private readonly buckets: BucketClock;
  private openGap: { gapId: string; startMs: number } | undefined;
  /** In a gap whose changes may come late: whether the book from before it has become due. */
  private isOwed: boolean | undefined;
  private crossedSinceMs: number | undefined;
  /** Changes that came since the book was last whole, and can be used only with a snapshot. */
  private waitingTotal = 0;

  constructor(
    private readonly place: LogPlace,
    private readonly log: LogWriter,
    private readonly book: ChangingBook,
    private readonly rejections: RejectionCounts,
  ) {
    const { contractValue, closingLagMs } = place.instrument;
    this.bidLevels = new PublishedLevels(1, contractValue);
    this.askLevels = new PublishedLevels(-1, contractValue);
    this.buckets = new BucketClock(closingLagMs);
  }

  /** A message that enters the log has come: writes the book of the bucket that it closes. */
  message(exchangeTsMs: number): void {
    if (this.buckets.message(exchangeTsMs)) this.writeDue();
  }

  /** A change was applied. True when the book has been crossed for so long that it must be given up. */
  changed(exchangeTsMs: number): boolean {
    this.buckets.change(exchangeTsMs);
    if (!this.isCrossed) this.crossedSinceMs = undefined;
    else if (this.crossedSinceMs === undefined) this.crossedSinceMs = exchangeTsMs;
    else return exchangeTsMs - this.crossedSinceMs >= CROSSED_MS_MAX;
    return false;
  }

  /** The feed clock has come to a tick. */
  tick(): void {
    if (this.buckets.tick(this.log.clockMs)) this.writeDue();
  }

  /**
   * A change is missing, which shows at this exchange time; to be called before the book is emptied. No book until
   * `restored` or, where the book is kept since the change may come late, `arrivedLate`. The one that waited to be written is not known to
   * be whole.
   */
  lost(exchangeTsMs: number, { reason = 'sequence_gap', mayArriveLate = false }: LossFacts = {}): void {
    const { venue, symbol } = this.place.instrument;
    const startMs = this.book.lastChangeMs;
    const lastVenueId = String(this.book.lastId);
    const gapId = gapIdOf({
      venue,
      symbol,
      pass: this.place.pass,
      reason,
      channel: 'book',
      startMs: startMs + this.log.shiftMs,
      lastVenueId,
    });
    if (!mayArriveLate) this.buckets.drop();
    const isDue = this.buckets.message(exchangeTsMs);
    this.isOwed = mayArriveLate ? isDue : undefined;
    this.crossedSinceMs = undefined;
    this.openGap = { gapId, startMs };
    this.log.status({ type: 'gap', gapId, channel: 'book', startMs, endMs: 0, reason }, exchangeTsMs);
  }

  /** A change came that no book can take before the next snapshot. */
  waits(): void {
    this.waitingTotal++;
  }

  /**
   * All changes that were missing came late, the last of them of this exchange time; to be called before they are applied. Ends the gap
   * and withdraws it, behind the book from before it where that has become due.
   */
  arrivedLate(changedMs: number): void {
    if (this.isOwed === true) this.write();
    this.isOwed = undefined;
    this.waitingTotal = 0;
    const gap = this.openGap;
    this.closeGap(changedMs);
    if (gap !== undefined) withdrawGap(this.log, { type: 'gap', ...gap, channel: 'book', endMs: changedMs, reason: 'sequence_gap' });
  }

  /** A snapshot was taken: the book is whole again, as of this exchange time. */
  restored(changedMs: number): void {
    this.letGo();
    this.waitingTotal = 0;
    this.crossedSinceMs = undefined;
    this.buckets.change(changedMs);
    this.closeGap(changedMs);
  }

  /**
   * What follows can't be joined to what came: writes the book that waits, so that no change is lost untold; changes that wait for a
   * snapshot were for nothing.
   */
  flush(): void {
    this.rejections.no_snapshot += this.waitingTotal;
    this.waitingTotal = 0;
    this.letGo();
    if (this.buckets.isPending) this.write();
    this.buckets.drop();
  }

  /** Nothing at all follows: an open gap ends at the last exchange time. */
  finish(lastExchangeMs: number): void {
    this.flush();
    this.closeGap(lastExchangeMs);
  }

  private get isCrossed(): boolean {
    return this.book.bids.bestPrice > this.book.asks.bestPrice;
  }

  private writeDue(): void {
    if (this.isOwed === undefined) this.write();
    else this.isOwed = true;
  }

  /** Nothing that is missing can come late any more: the book from before the gap is never written. */
  private letGo(): void {
    if (this.isOwed === undefined) return;
    this.isOwed = undefined;
    this.buckets.drop();
  }

  private write(): void {
    const { bids, asks, lastId, lastChangeMs } = this.book;
    if (bids.size === 0 || asks.size === 0) {
      this.rejections.one_sided_book++;
      return;
    }
    if (this.isCrossed) {
      this.rejections.crossed_book++;
      return;
    }
    const deepBook = this.log.keepsDeepBooks ? new DeepBook(bids, asks, this.place.instrument.contractValue) : undefined;
    const levels = { bids: this.bidLevels.read(bids.top(EVENT_LEVELS)), asks: this.askLevels.read(asks.top(EVENT_LEVELS)) };
    this.log.book({ venueId: String(lastId), exchangeTsMs: lastChangeMs, ...levels }, deepBook);
  }

  private closeGap(endMs: number): void {
    if (this.openGap === undefined) return;
    const { gapId, startMs } = this.openGap;
    this.openGap = undefined;
    this.log.status({ type: 'resynced', gapId, channel: 'book', startMs, endMs }, endMs);
  }
}
