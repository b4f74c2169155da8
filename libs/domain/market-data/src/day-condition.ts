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
type Condition = 'available' | 'degraded' | 'pending' | 'missing';

/** A condition and the reasons for it; none for a day that is whole. */
interface DayCondition {
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

/** Milliseconds of a span that lie in a gap, where gaps may overlap. An open gap, whose end is 0, lasts to the end of the span. */
export function msInGaps(gaps: readonly { readonly startMs: number; readonly endMs: number }[], fromMs: number, toMs: number): number {
  const parts = gaps
    .map(({ startMs, endMs }) => [Math.max(fromMs, startMs), Math.min(toMs, endMs === 0 ? toMs : endMs)] as const)
    .filter(([start, end]) => end > start)
    .sort(([one], [other]) => one - other);
  let coveredToMs = fromMs;
  let sum = 0;
  for (const [start, end] of parts) {
    sum += Math.max(0, end - Math.max(start, coveredToMs));
    coveredToMs = Math.max(coveredToMs, end);
  }
  return sum;
}

/** What a line of the gap ledger says of the rows in its span: they are `lost`, it is `unknown` whether some are, or `none` is. */
type Loss = 'lost' | 'unknown' | 'none';

/** A line of the gap ledger, as far as its loss goes by it. */
export interface LedgerLine {
  /** For example `sequence_gap`; `recording_seam`: a recording began again. */
  readonly reason: string;
  /** `open`, `resynced`, `resumed` or `withdrawn`. */
  readonly resolution: string;
  /** Exchange time, milliseconds; 0 while it is open. */
  readonly endMs: number;
}

/**
 * Loses nothing: a gap that was withdrawn, as all that was missing came late, and a seam after which the recording went on. What was
 * lost in a seam that is still open, or that only a fresh snapshot ended, is unknown.
 */
export function lossOf({ reason, resolution, endMs }: LedgerLine): Loss {
  if (resolution === 'withdrawn') return 'none';
  if (reason !== 'recording_seam') return 'lost';
  return resolution === 'resumed' && endMs !== 0 ? 'none' : 'unknown';
}
