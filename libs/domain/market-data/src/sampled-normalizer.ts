import { BookSampler, type ChangingBook } from './book-sampler';
import type { LogPosition, LogWriter } from './log-writer';
import { timeFault } from './normalizer';
import { noRejections, type RejectionReason } from './rejections';
import { TradeNumbers } from './trade-numbers';

export interface SampledBook extends ChangingBook {
  readonly hasBook: boolean;
  /** Empties it until the next whole book. */
  lose(): void;
}

/** What normalizers with a sampled book and numbered trades have in common. */
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
