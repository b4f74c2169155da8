import type { GapReason, BookLevel } from '../event';
import { gapIdOf } from '../gap-id';
import type { LogPosition, LogWriter } from '../log-writer';
import type { RejectionReason } from '../rejections';
import { isCrossed, type BestPrices, type WholeBook } from './parse-frame';

/** Levels per side at the default pace; fewer on both sides may indicate the fast pace. */
const WHOLE_LEVELS = 20;
/** Documented slowest default pace plus a margin; older levels are outdated. */
const TAIL_MS_MAX = 5_500;

function isShallow({ bids, asks }: WholeBook): boolean {
  return bids.length < WHOLE_LEVELS && asks.length < WHOLE_LEVELS;
}

/**
 * Levels of the older push, at most 5.5 s old, must meet the newer one on both sides. Within its range only the newer
 * push counts, so the result is crossed only if the push is.
 */
export function spliced(push: WholeBook, deeper: WholeBook | undefined): WholeBook {
  if (deeper === undefined || push.timeMs - deeper.timeMs > TAIL_MS_MAX) return push;
  if (!touches(push.bids, deeper.bids, -1) || !touches(push.asks, deeper.asks, 1)) return push;
  return { type: 'book', timeMs: push.timeMs, bids: withTail(push.bids, deeper.bids, -1), asks: withTail(push.asks, deeper.asks, 1) };
}

/** True if the older side starts within the push's range. @param away direction of worse prices */
function touches(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): boolean {
  return (Number(push.at(-1)?.price) - Number(older[0]?.price)) * away >= 0;
}

function withTail(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): readonly BookLevel[] {
  const worst = Number(push.at(-1)?.price);
  return [...push, ...older.filter(({ price }) => (Number(price) - worst) * away > 0)].slice(0, WHOLE_LEVELS);
}

/** A book crossed for this long, by venue time, is discarded. */
const CROSSED_MS_MAX = 1_000;
/** The slowest pace is 5 s: on a live connection, a longer silence means a missing push. */
const SILENT_MS = 5_500;
const CONTRADICTED_MS = 3_000;

interface Published {
  readonly book: WholeBook;
  readonly venueId: string;
  readonly isPart: boolean;
}

export class PushedBook {
  private published: Published | undefined;
  private deepest: WholeBook | undefined;
  private crossedSinceMs: number | undefined;
  private openGap: { readonly gapId: string; readonly startMs: number } | undefined;
  private pushedClockMs: number | undefined;
  private contradictedClockMs: number | undefined;

  constructor(
    private readonly place: Pick<LogPosition, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {}

  get needsPush(): boolean {
    return this.openGap !== undefined || this.isSilent;
  }

  /** Rejection reason; undefined if accepted, or if only the top of an already known book. */
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

  takeBest({ timeMs, bid, ask }: BestPrices): void {
    const last = this.published?.book;
    if (last === undefined || timeMs <= last.timeMs) return;
    const [bestBid, bestAsk] = [last.bids[0], last.asks[0]];
    const holds =
      bid?.price === bestBid?.price && bid?.size === bestBid?.size && ask?.price === bestAsk?.price && ask?.size === bestAsk?.size;
    if (holds) this.contradictedClockMs = undefined;
    else this.contradictedClockMs ??= this.log.clockMs;
  }

  tick(): void {
    if (this.openGap !== undefined || this.place.pass !== 0 || this.contradictedClockMs === undefined) return;
    if (this.log.clockMs - this.contradictedClockMs >= CONTRADICTED_MS) this.lose('sequence_gap', this.log.clockMs);
  }

  /** Nothing is missing from the log before its first book. */
  lose(reason: GapReason, exchangeTsMs: number): void {
    const last = this.published;
    if (this.openGap !== undefined || last === undefined) return;
    const { venue, symbol } = this.place.instrument;
    const startMs = last.book.timeMs;
    const gapId = gapIdOf({ venue, symbol, pass: this.place.pass, reason, channel: 'book', startMs, lastVenueId: last.venueId });
    this.openGap = { gapId, startMs };
    this.log.status({ type: 'gap', gapId, channel: 'book', startMs, endMs: 0, reason }, Math.max(exchangeTsMs, startMs));
  }

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

  private keepDeepest(push: WholeBook, isDeep: boolean): boolean {
    if (!isDeep || (this.deepest !== undefined && push.timeMs <= this.deepest.timeMs)) return false;
    this.deepest = push;
    return true;
  }

  /** A second, fuller book of the same time gets its own id, which sorts after the first. */
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
