import { type LedgerLine, lossOf } from './loss-of';
import { msInGaps } from './ms-in-gaps';

/** What is known of one channel of a symbol on a UTC day, or on the part of it that was asked for. */
export interface ChannelDay {
  /** Exchange time, inclusive. */
  readonly fromMs: number;
  /** Exclusive; after `fromMs`. */
  readonly toMs: number;
  /** From where on the channel is kept. */
  readonly keptFromMs: number;
  /** Rows of that time, repeats left out; of those that can be read where `isReadable` is false. */
  readonly rows: number;
  /** Every archived file that has rows of that time can be read. */
  readonly isReadable: boolean;
  /**
   * Lines of the gap ledger of the channel, and those of all channels, as known at the instant of the answer. Those outside that time, and
   * those that lost nothing, are ignored.
   */
  readonly gaps: readonly DayGap[];
  /** Everything of that time was recorded by the instant of the answer. */
  readonly isFinished: boolean;
  /** The venue reports the channel. */
  readonly isReported: boolean;
}

/** A line of the gap ledger at its place. */
export interface DayGap extends LedgerLine {
  readonly startMs: number;
}

/** Whether a day's rows are there and whole. */
export type Condition = 'available' | 'degraded' | 'pending' | 'missing';

/** A condition and the reasons for it; none for a day that is whole. */
export interface DayCondition {
  readonly condition: Condition;
  /**
   * `channel_not_reported`, `before_retention`, `day_not_finished`, the reason of each gap, oldest first, `archive_unreadable`, `no_rows`:
   * none twice.
   */
  readonly reasons: readonly string[];
}

/**
 * The condition of a day of a channel. The first that holds:
 *
 * - `missing`: there are no rows, and the venue does not report the channel, or all of it is from before what is kept;
 * - `pending`: not all of it was recorded by then, so that more rows may come;
 * - `missing`: there are no rows, and no moment of it is kept and outside a gap;
 * - `degraded`: a gap, or a seam whose loss is unknown, overlaps it, its beginning is from before what is kept, or some of its archived
 *   rows cannot be read;
 * - `available`. It may have no rows (`no_rows`), as liquidations often do: none came.
 */
export function dayCondition(day: ChannelDay): DayCondition {
  const gaps = gapsOfDay(day);
  const reasons = [
    ...(day.isReported ? [] : ['channel_not_reported']),
    ...(day.keptFromMs > day.fromMs ? ['before_retention'] : []),
    ...(day.isFinished ? [] : ['day_not_finished']),
    ...gaps.map(({ reason }) => reason),
    ...(day.isReadable ? [] : ['archive_unreadable']),
    ...(isEmpty(day) ? ['no_rows'] : []),
  ];
  return { condition: conditionOf(day, gaps), reasons: [...new Set(reasons)] };
}

/** Lines of the ledger by which something of the day is lost, or may be, oldest first. */
export function gapsOfDay<Gap extends DayGap>({
  gaps,
  ...day
}: Pick<ChannelDay, 'fromMs' | 'toMs'> & { readonly gaps: readonly Gap[] }): Gap[] {
  return gaps.filter((gap) => lossOf(gap) !== 'none' && overlaps(gap, day)).sort((one, other) => one.startMs - other.startMs);
}

/** Milliseconds of the day that are kept and in no gap; 0 where the venue does not report the channel. */
export function observedMs(day: Omit<ChannelDay, 'rows' | 'isFinished' | 'isReadable'>): number {
  const fromMs = Math.max(day.fromMs, day.keptFromMs);
  if (!day.isReported || fromMs >= day.toMs) return 0;
  return day.toMs - fromMs - msInGaps(gapsOfDay(day), fromMs, day.toMs);
}

function isEmpty({ rows, isReadable }: ChannelDay): boolean {
  return rows === 0 && isReadable;
}

/** `gaps`: those of the day, oldest first. */
function conditionOf(day: ChannelDay, gaps: readonly DayGap[]): Condition {
  if (isEmpty(day) && (!day.isReported || day.keptFromMs >= day.toMs)) return 'missing';
  if (!day.isFinished) return 'pending';
  if (isEmpty(day) && observedMs(day) === 0) return 'missing';
  return gaps.length > 0 || day.keptFromMs > day.fromMs || !day.isReadable ? 'degraded' : 'available';
}

/** An open gap has no end, one without length overlaps its instant, and one that only touches an edge does not overlap. */
function overlaps({ startMs, endMs }: DayGap, { fromMs, toMs }: Pick<ChannelDay, 'fromMs' | 'toMs'>): boolean {
  return startMs < toMs && (endMs === 0 || endMs > fromMs || (endMs <= startMs && startMs >= fromMs));
}
