import type { LogPosition, LogWriter } from './log-writer';
import { timeFault } from './normalizer';
import { noRejections, type RejectionReason, type RejectionCounts } from './rejections';
import { TradeNumbers } from './trade-numbers';
import { type BookSide, DeepBook, PublishedLevels } from './book-side';
import type { GapReason } from './event';
import { gapIdOf, withdrawGap } from './gap-id';

const BUCKET_MS = 250;

/**
 * A changed bucket [start, end) is due at the first message at or past its end, or the first tick at or past end +
 * closing lag − 250 ms. Order per message: `message`, publish if true, apply, `change`.
 */
class BucketClock {
  private closedThroughMs = Number.NEGATIVE_INFINITY;
  /** End of the pending bucket; infinite if unchanged. */
  private dueMs = Number.POSITIVE_INFINITY;

  constructor(private readonly closingLagMs: number) {}

  message(exchangeTsMs: number): boolean {
    return this.close(exchangeTsMs);
  }

  tick(feedClockMs: number): boolean {
    return this.close(feedClockMs - this.closingLagMs + BUCKET_MS);
  }

  change(exchangeTsMs: number): void {
    const openStart = exchangeTsMs < this.closedThroughMs ? this.closedThroughMs : startOfBucket(exchangeTsMs);
    const endMs = openStart + BUCKET_MS;
    if (!this.isPending || endMs > this.dueMs) this.dueMs = endMs;
  }

  get isPending(): boolean {
    return this.dueMs !== Number.POSITIVE_INFINITY;
  }

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

const EVENT_LEVELS = 25;
/** A book crossed for this long is discarded. */
const CROSSED_MS_MAX = 1_000;

interface LossFacts {
  readonly reason?: GapReason;
  readonly mayArriveLate?: boolean;
}

interface ChangingBook {
  readonly bids: BookSide;
  readonly asks: BookSide;
  readonly lastId: number;
  readonly lastChangeMs: number;
}

/**
 * Per message: `message`, apply, `changed`; or `lost`, then `restored` or `arrivedLate`. Changes without a book:
 * `waits`.
 */
export class BookSampler {
  private readonly bidLevels: PublishedLevels;
  private readonly askLevels: PublishedLevels;
  private readonly buckets: BucketClock;
  private openGap: { gapId: string; startMs: number } | undefined;
  private isOwed: boolean | undefined;
  private crossedSinceMs: number | undefined;
  private waitingTotal = 0;

  constructor(
    private readonly place: LogPosition,
    private readonly log: LogWriter,
    private readonly book: ChangingBook,
    private readonly rejections: RejectionCounts,
  ) {
    const { contractValue, closingLagMs } = place.instrument;
    this.bidLevels = new PublishedLevels(1, contractValue);
    this.askLevels = new PublishedLevels(-1, contractValue);
    this.buckets = new BucketClock(closingLagMs);
  }

  message(exchangeTsMs: number): void {
    if (this.buckets.message(exchangeTsMs)) this.writeDue();
  }

  /** True if crossed for too long: the book must be discarded. */
  changed(exchangeTsMs: number): boolean {
    this.buckets.change(exchangeTsMs);
    if (!this.isCrossed) this.crossedSinceMs = undefined;
    else if (this.crossedSinceMs === undefined) this.crossedSinceMs = exchangeTsMs;
    else return exchangeTsMs - this.crossedSinceMs >= CROSSED_MS_MAX;
    return false;
  }

  tick(): void {
    if (this.buckets.tick(this.log.clockMs)) this.writeDue();
  }

  /** Call before emptying the book. Opens a gap until `restored` or `arrivedLate`. */
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

  waits(): void {
    this.waitingTotal++;
  }

  /** Call before applying the late changes. Withdraws the gap. */
  arrivedLate(changedMs: number): void {
    if (this.isOwed === true) this.write();
    this.isOwed = undefined;
    this.waitingTotal = 0;
    const gap = this.openGap;
    this.closeGap(changedMs);
    if (gap !== undefined) withdrawGap(this.log, { type: 'gap', ...gap, channel: 'book', endMs: changedMs, reason: 'sequence_gap' });
  }

  restored(changedMs: number): void {
    this.letGo();
    this.waitingTotal = 0;
    this.crossedSinceMs = undefined;
    this.buckets.change(changedMs);
    this.closeGap(changedMs);
  }

  flush(): void {
    this.rejections.no_snapshot += this.waitingTotal;
    this.waitingTotal = 0;
    this.letGo();
    if (this.buckets.isPending) this.write();
    this.buckets.drop();
  }

  /** End of input: an open gap ends at the last exchange time. */
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

  /** The book before the gap is then never published. */
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

export interface SampledBook extends ChangingBook {
  readonly hasBook: boolean;
  /** Empties it until the next whole book. */
  lose(): void;
}

/** Base of normalizers with a sampled book and numbered trades. */
export abstract class SampledNormalizer<Book extends SampledBook> {
  readonly rejections = noRejections();
  protected readonly sampler: BookSampler;
  protected readonly tradeNumbers: TradeNumbers;
  protected lastExchangeMs = 0;

  constructor(
    protected readonly place: LogPosition,
    protected readonly log: LogWriter,
    protected readonly book: Book,
  ) {
    this.sampler = new BookSampler(place, log, book, this.rejections);
    this.tradeNumbers = new TradeNumbers(place, log);
  }

  /** A stream of changes alone brings no whole book, so one must be requested. */
  get needsSnapshot(): boolean {
    return !this.book.hasBook;
  }

  tick(): void {
    this.sampler.tick();
  }

  /** A gap after the last applied change, until a snapshot. */
  overflowed(): void {
    this.sampler.flush();
    if (this.book.hasBook) this.sampler.lost(this.log.clockMs, { reason: 'overflow' });
    this.book.lose();
  }

  finish(): void {
    this.sampler.finish(this.lastExchangeMs);
  }

  ended(): void {
    this.sampler.flush();
  }

  protected loseBook(exchangeTsMs: number): void {
    this.sampler.lost(exchangeTsMs);
    this.book.lose();
  }

  /** Rejects a message whose exchange time is far from the feed clock. */
  protected isTimely(exchangeTsMs: number): boolean {
    const fault = timeFault(exchangeTsMs, this.log.clockMs);
    if (fault !== undefined) this.reject(fault);
    else if (exchangeTsMs > this.lastExchangeMs) this.lastExchangeMs = exchangeTsMs;
    return fault === undefined;
  }

  protected reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}
