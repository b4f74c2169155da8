export interface ChannelDay {
  /** Exchange time; `fromMs` inclusive, `toMs` exclusive and later. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of the channel's retained data. */
  readonly keptFromMs: number;
  /** Rows without duplicates; only readable ones if `isReadable` is false. */
  readonly rows: number;
  readonly isReadable: boolean;
  /** Gap ledger of this channel and of all channels. Lines outside the span or without loss are ignored. */
  readonly gaps: readonly DayGap[];
  readonly isFinished: boolean;
  readonly isReported: boolean;
}

export interface DayGap extends LedgerLine {
  readonly startMs: number;
}

type Condition = 'available' | 'degraded' | 'pending' | 'missing';

interface DayCondition {
  readonly condition: Condition;
  /**
   * `channel_not_reported`, `before_retention`, `day_not_finished`, each gap's reason (oldest first),
   * `archive_unreadable`, `no_rows`; unique.
   */
  readonly reasons: readonly string[];
}

/**
 * Condition of a channel's day; the first match applies:
 * - `missing`: no rows, and not provided by the venue or before retention;
 * - `pending`: recording was incomplete;
 * - `missing`: no rows, and entirely within gaps;
 * - `degraded`: a gap, a seam of unknown loss, a start before retention, or unreadable rows;
 * - `available`: possibly without rows (`no_rows`).
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

/** Gaps with actual or possible loss on the day, oldest first. */
export function gapsOfDay<Gap extends DayGap>({
  gaps,
  ...day
}: Pick<ChannelDay, 'fromMs' | 'toMs'> & { readonly gaps: readonly Gap[] }): Gap[] {
  return gaps.filter((gap) => lossOf(gap) !== 'none' && overlaps(gap, day)).sort((one, other) => one.startMs - other.startMs);
}

/** Retained milliseconds outside gaps; 0 if the venue does not provide the channel. */
export function observedMs(day: Omit<ChannelDay, 'rows' | 'isFinished' | 'isReadable'>): number {
  const fromMs = Math.max(day.fromMs, day.keptFromMs);
  if (!day.isReported || fromMs >= day.toMs) return 0;
  return day.toMs - fromMs - msInGaps(gapsOfDay(day), fromMs, day.toMs);
}

function isEmpty({ rows, isReadable }: ChannelDay): boolean {
  return rows === 0 && isReadable;
}

function conditionOf(day: ChannelDay, gaps: readonly DayGap[]): Condition {
  if (isEmpty(day) && (!day.isReported || day.keptFromMs >= day.toMs)) return 'missing';
  if (!day.isFinished) return 'pending';
  if (isEmpty(day) && observedMs(day) === 0) return 'missing';
  return gaps.length > 0 || day.keptFromMs > day.fromMs || !day.isReadable ? 'degraded' : 'available';
}

/** An open gap never ends; a zero-length gap overlaps its instant; touching an edge is no overlap. */
function overlaps({ startMs, endMs }: DayGap, { fromMs, toMs }: Pick<ChannelDay, 'fromMs' | 'toMs'>): boolean {
  return startMs < toMs && (endMs === 0 || endMs > fromMs || (endMs <= startMs && startMs >= fromMs));
}

/** Milliseconds of a span covered by possibly overlapping gaps; an open one (end 0) lasts to its end. */
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

type Loss = 'lost' | 'unknown' | 'none';

export interface LedgerLine {
  readonly reason: string;
  readonly resolution: string;
  /** Exchange time in milliseconds; 0 while open. */
  readonly endMs: number;
}

/**
 * `none` for a withdrawn gap and for a seam after which the recording continued; `unknown` for an open seam, or one
 * ended only by a new snapshot.
 */
export function lossOf({ reason, resolution, endMs }: LedgerLine): Loss {
  if (resolution === 'withdrawn') return 'none';
  if (reason !== 'recording_seam') return 'lost';
  return resolution === 'resumed' && endMs !== 0 ? 'none' : 'unknown';
}
