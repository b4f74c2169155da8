import { BucketClock } from '../bucket-clock';
import { DeepBook } from '../deep-book';
import { gapIdOf } from '../gap-id';
import { normalizeDecimal } from '../decimal';
import { inverseSize } from '../inverse-size';
import type { LogPlace, LogWriter } from '../log-writer';
import { PublishedLevels } from '../published-levels';
import { noRejections, type RejectionCounts, type RejectionReason } from '../rejections';
import { DiffBook } from './diff-book';
import type { DepthDiff, DepthSnapshot, TradeMessage } from './message';
import { parseMessage } from './parse-message';

/** Levels a side of a book event. */
const EVENT_LEVELS = 25;
/** How far ahead of the feed clock an exchange time may be. */
const AHEAD_MS_MAX = 5_000;
/** A book that stays crossed this long is given up. */
const CROSSED_MS_MAX = 1_000;

/**
 * Turns raw messages of one Binance COIN-M instrument into normalized events, written to `log`. Every time is moved by
 * `shiftMs`, a multiple of 10 s. Bad input is counted by reason and never throws.
 *
 * Messages that close a book bucket are those that enter the log: depth diffs, trades and depth snapshots that were not
 * rejected. `bookTicker` is not part of the log and closes nothing, so a feed without that stream gives the same events.
 */
export class CoinmNormalizer {
  readonly rejections: RejectionCounts = noRejections();
  /** Exchange time of the last message that was taken, shifted; 0 before the first. */
  lastExchangeMs = 0;
  private readonly book = new DiffBook();
  private readonly bidLevels: PublishedLevels;
  private readonly askLevels: PublishedLevels;
  private readonly buckets: BucketClock;
  private openGap: { gapId: string; startMs: number } | undefined;
  private crossedSinceMs: number | undefined;

  constructor(
    private readonly place: LogPlace,
    private readonly shiftMs: number,
    private readonly log: LogWriter,
  ) {
    this.bidLevels = new PublishedLevels(1, place.instrument.contractValue);
    this.askLevels = new PublishedLevels(-1, place.instrument.contractValue);
    this.buckets = new BucketClock(place.instrument.closingLagMs);
  }

  /** Takes the raw message that `text` holds from `start` on, received at the log's feed clock. */
  accept(text: string, start = 0): void {
    const message = parseMessage(text, start, this.place.instrument.venueInstrument);
    if (message.type === 'ignored') return;
    if (message.type === 'rejected') return this.reject(message.reason);
    const exchangeTsMs = message.timeMs + this.shiftMs;
    if (exchangeTsMs > this.log.clockMs + AHEAD_MS_MAX) return this.reject('future_time');
    if (exchangeTsMs > this.lastExchangeMs) this.lastExchangeMs = exchangeTsMs;
    switch (message.type) {
      case 'depth':
        return this.takeDiff(message, exchangeTsMs);
      case 'snapshot':
        return this.takeSnapshot(message, exchangeTsMs);
      case 'trade':
        return this.takeTrade(message, exchangeTsMs);
    }
  }

  /** The feed clock has come to a tick: writes the book that is due. The caller writes the tick after it. */
  tick(): void {
    if (this.buckets.tick(this.log.clockMs)) this.writeBook();
  }

  /** The pass is over: writes the book that waits, and closes an open gap at the last exchange time. */
  finish(): void {
    if (this.buckets.isPending) this.writeBook();
    this.buckets.drop();
    if (this.openGap !== undefined) this.closeGap(this.lastExchangeMs);
  }

  private takeDiff(diff: DepthDiff, exchangeTsMs: number): void {
    const verdict = this.book.judge(diff);
    if (verdict === 'gap') return this.loseBook(exchangeTsMs, diff);
    if (this.buckets.message(exchangeTsMs)) this.writeBook();
    if (verdict !== 'next') return;
    this.book.apply(diff);
    this.buckets.change(exchangeTsMs);
    if (!this.book.isCrossed) this.crossedSinceMs = undefined;
    else if (this.crossedSinceMs === undefined) this.crossedSinceMs = exchangeTsMs;
    else if (exchangeTsMs - this.crossedSinceMs >= CROSSED_MS_MAX) this.loseBook(exchangeTsMs);
  }

  private takeSnapshot(snapshot: DepthSnapshot, exchangeTsMs: number): void {
    if (this.buckets.message(exchangeTsMs)) this.writeBook();
    const outcome = this.book.takeSnapshot(snapshot);
    if (outcome === 'stale') return this.reject('stale_snapshot');
    if (outcome === 'not_needed') return;
    const changedMs = this.book.lastChangeMs + this.shiftMs;
    this.buckets.change(changedMs);
    if (this.openGap !== undefined) this.closeGap(changedMs);
  }

  private takeTrade(trade: TradeMessage, exchangeTsMs: number): void {
    if (this.buckets.message(exchangeTsMs)) this.writeBook();
    this.log.trade({
      venueId: String(trade.id),
      exchangeTsMs,
      price: normalizeDecimal(trade.price),
      size: inverseSize(trade.contracts, this.place.instrument.contractValue, trade.price),
      venueSize: trade.contracts,
      aggressorSide: trade.buyerIsMaker ? 'sell' : 'buy',
    });
  }

  private writeBook(): void {
    const { book } = this;
    if (book.bids.size === 0 || book.asks.size === 0) return this.reject('one_sided_book');
    if (book.isCrossed) return this.reject('crossed_book');
    const bids = this.bidLevels.read(book.bids.top(EVENT_LEVELS));
    const asks = this.askLevels.read(book.asks.top(EVENT_LEVELS));
    const deepBook = new DeepBook(book.bids, book.asks, this.place.instrument.contractValue);
    this.log.book({ venueId: String(book.lastId), exchangeTsMs: book.lastChangeMs + this.shiftMs, bids, asks }, deepBook);
  }

  /** A change is missing: no book until a fresh snapshot. The book that waited to be written is not known to be whole. */
  private loseBook(exchangeTsMs: number, diff?: DepthDiff): void {
    const { venue, symbol } = this.place.instrument;
    const startMs = this.book.lastChangeMs + this.shiftMs;
    const lastVenueId = String(this.book.lastId);
    const gapId = gapIdOf({ venue, symbol, pass: this.place.pass, reason: 'sequence_gap', channel: 'book', startMs, lastVenueId });
    this.book.lose(diff);
    this.buckets.drop();
    this.buckets.message(exchangeTsMs);
    this.crossedSinceMs = undefined;
    this.openGap = { gapId, startMs };
    this.log.status({ type: 'gap', gapId, channel: 'book', startMs, endMs: 0, reason: 'sequence_gap' }, exchangeTsMs);
  }

  private closeGap(endMs: number): void {
    if (this.openGap === undefined) return;
    const { gapId, startMs } = this.openGap;
    this.openGap = undefined;
    this.log.status({ type: 'resynced', gapId, channel: 'book', startMs, endMs }, endMs);
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}
