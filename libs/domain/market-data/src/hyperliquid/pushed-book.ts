import type { GapReason, BookLevel } from '../event';
import { gapIdOf } from '../gap-id';
import type { LogPlace, LogWriter } from '../log-writer';
import type { RejectionReason } from '../rejections';
import { isCrossed } from './read-book';
import type { BestPrices, WholeBook } from './message';

/** Levels of a side of a push at the default pace; a push that has fewer on both sides may be one at the fast pace. */
const WHOLE_LEVELS = 20;
/** The slowest default pace by the venue's word, and some: behind it, a book says nothing of now. */
const TAIL_MS_MAX = 5_500;

/** Whether a push may be only the top of the book. */
function isShallow({ bids, asks }: WholeBook): boolean {
  return bids.length < WHOLE_LEVELS && asks.length < WHOLE_LEVELS;
}

/**
 * A shallow push with the levels behind it that a deeper, older one had. Where the push speaks, it alone is believed; what it does not
 * reach is taken from the older book as long as the two touch on both sides, so that no price between them is unknown, and as long as that
 * is not older than 5.5 s. No level is ever better than one of the push, so the result is crossed only if the push is.
 */
export function spliced(push: WholeBook, deeper: WholeBook | undefined): WholeBook {
  if (deeper === undefined || push.timeMs - deeper.timeMs > TAIL_MS_MAX) return push;
  if (!touches(push.bids, deeper.bids, -1) || !touches(push.asks, deeper.asks, 1)) return push;
  return { type: 'book', timeMs: push.timeMs, bids: withTail(push.bids, deeper.bids, -1), asks: withTail(push.asks, deeper.asks, 1) };
}

/** Whether the older side begins within what the push reaches. @param away the direction in which prices get worse */
function touches(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): boolean {
  return (Number(push.at(-1)?.price) - Number(older[0]?.price)) * away >= 0;
}

function withTail(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): readonly BookLevel[] {
  const worst = Number(push.at(-1)?.price);
  return [...push, ...older.filter(({ price }) => (Number(price) - worst) * away > 0)].slice(0, WHOLE_LEVELS);
}

/** A book that stays crossed this long, by the venue's times, is given up. */
const CROSSED_MS_MAX = 1_000;
/** The venue pushes a book every 5 s at the slowest. On a live connection, no push for longer means that one is missing. */
const SILENT_MS = 5_500;
/** The same when the best prices say meanwhile that the book is another. */
const CONTRADICTED_MS = 3_000;

/** Which book was published last. */
interface Published {
  readonly book: WholeBook;
  /** As it is in the log. */
  readonly venueId: string;
  /** Levels were taken from an older push, or may be missing at the end. */
  readonly isPart: boolean;
}

/**
 * The book of a venue that pushes it whole, at two paces. Publishes each push that is newer than all before it. Tells a gap when
 * pushes are missing or stay crossed; the next push that is not crossed ends it.
 */
export class PushedBook {
  private published: Published | undefined;
  /** The newest push that reaches down to the last level. */
  private deepest: WholeBook | undefined;
  private crossedSinceMs: number | undefined;
  private openGap: { readonly gapId: string; readonly startMs: number } | undefined;
  /** Feed clock of the last push that was taken, and of the first word since that it no longer holds. */
  private pushedClockMs: number | undefined;
  private contradictedClockMs: number | undefined;

  constructor(
    private readonly place: Pick<LogPlace, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {}

  /** The book was given up, or no push came for so long that one must be missing: a whole one is to be asked for. */
  get needsPush(): boolean {
    return this.openGap !== undefined || this.isSilent;
  }

  /** Why the push was not taken; undefined when it was, and when it is the top of a book that is known whole. */
  take(push: WholeBook): RejectionReason | undefined {
    if (isCrossed(push.bids, push.asks)) return this.takeCrossed(push.timeMs);
    const last = this.published;
    const isDeep = !isShallow(push);
    if (last !== undefined && push.timeMs < last.book.timeMs) return this.keepDeepest(push, isDeep) ? undefined : 'stale_snapshot';
    if (last !== undefined && push.timeMs === last.book.timeMs && !(isDeep && last.isPart))
      return isDeep || last.isPart ? 'duplicate' : undefined;
    this.crossedSinceMs = undefined;
    const book = isDeep ? push : spliced(push, this.deepest);
    if (this.isSilent && last !== undefined && !isSameBook(last.book, book)) this.lose('sequence_gap', push.timeMs);
    this.keepDeepest(push, isDeep);
    this.resync(push.timeMs);
    if (last?.book.timeMs === book.timeMs && isSameBook(last.book, book)) this.published = { ...last, isPart: false };
    else this.publish(book, !isDeep);
    return undefined;
  }

  /** Best prices are no book: they only show that the one that was published is over. */
  takeBest({ timeMs, bid, ask }: BestPrices): void {
    const last = this.published?.book;
    if (last === undefined || timeMs <= last.timeMs) return;
    const [bestBid, bestAsk] = [last.bids[0], last.asks[0]];
    const holds =
      bid?.price === bestBid?.price && bid?.size === bestBid?.size && ask?.price === bestAsk?.price && ask?.size === bestAsk?.size;
    if (holds) this.contradictedClockMs = undefined;
    else this.contradictedClockMs ??= this.log.clockMs;
  }

  /** Nothing came in time: a live book that the best prices contradict is given up. */
  tick(): void {
    if (this.openGap !== undefined || this.place.pass !== 0 || this.contradictedClockMs === undefined) return;
    if (this.log.clockMs - this.contradictedClockMs >= CONTRADICTED_MS) this.lose('sequence_gap', this.log.clockMs);
  }

  /** Pushes are known to be missing. Without a book so far nothing is missing from the log. */
  lose(reason: GapReason, exchangeTsMs: number): void {
    const last = this.published;
    if (this.openGap !== undefined || last === undefined) return;
    const { venue, symbol } = this.place.instrument;
    const startMs = last.book.timeMs;
    const gapId = gapIdOf({ venue, symbol, pass: this.place.pass, reason, channel: 'book', startMs, lastVenueId: last.venueId });
    this.openGap = { gapId, startMs };
    this.log.status({ type: 'gap', gapId, channel: 'book', startMs, endMs: 0, reason }, Math.max(exchangeTsMs, startMs));
  }

  /** Nothing follows: an open gap ends now, the caller tells from there. */
  finish(): void {
    this.resync(this.log.clockMs);
  }

  private get isSilent(): boolean {
    return this.place.pass === 0 && this.pushedClockMs !== undefined && this.log.clockMs - this.pushedClockMs > SILENT_MS;
  }

  private takeCrossed(timeMs: number): RejectionReason {
    if (this.published !== undefined && timeMs <= this.published.book.timeMs) return 'crossed_book';
    this.crossedSinceMs ??= timeMs;
    if (timeMs - this.crossedSinceMs >= CROSSED_MS_MAX) this.lose('sequence_gap', timeMs);
    return 'crossed_book';
  }

  /** Whether the push is the deepest known of its time or later. */
  private keepDeepest(push: WholeBook, isDeep: boolean): boolean {
    if (!isDeep || (this.deepest !== undefined && push.timeMs <= this.deepest.timeMs)) return false;
    this.deepest = push;
    return true;
  }

  /** A second, fuller book of the same time has an id of its own, behind the first in the order of the log. */
  private publish(book: WholeBook, isPart: boolean): void {
    const id = String(book.timeMs);
    const venueId = this.published?.book.timeMs === book.timeMs ? `${id}-whole` : id;
    this.published = { book, venueId, isPart };
    this.pushedClockMs = this.log.clockMs;
    this.contradictedClockMs = undefined;
    this.log.book({ venueId, exchangeTsMs: book.timeMs, bids: book.bids, asks: book.asks });
  }

  private resync(endMs: number): void {
    if (this.openGap === undefined) return;
    const { gapId, startMs } = this.openGap;
    this.openGap = undefined;
    this.log.status({ type: 'resynced', gapId, channel: 'book', startMs, endMs: Math.max(startMs, endMs) }, Math.max(startMs, endMs));
  }
}

function isSameBook(a: WholeBook, b: WholeBook): boolean {
  return isSameSide(a.bids, b.bids) && isSameSide(a.asks, b.asks);
}

function isSameSide(a: WholeBook['bids'], b: WholeBook['bids']): boolean {
  return a.length === b.length && a.every(({ price, size }, index) => price === b[index]?.price && size === b[index]?.size);
}
