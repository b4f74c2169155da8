import type { GapReason } from './event';

/** What is known of one channel of a symbol on a UTC day, or on the part of it that was asked for. */
export interface ChannelDay {
  /** Exchange time, inclusive. */
  readonly fromMs: number;
  /** Exclusive; after `fromMs`. */
  readonly toMs: number;
  /** From where on the channel is kept. */
  readonly keptFromMs: number;
  /** Rows of that time, repeats left out. */
  readonly rows: number;
  /** Gaps of the channel, and those of all channels, as known at the instant of the answer; others of the symbol may be among them. */
  readonly gaps: readonly DayGap[];
  /** Everything of that time was recorded by the instant of the answer. */
  readonly isFinished: boolean;
  /** The venue reports the channel. */
  readonly isReported: boolean;
}

/** A gap of the ledger. */
export interface DayGap {
  readonly startMs: number;
  /** 0 while it is open. */
  readonly endMs: number;
  readonly reason: GapReason | 'recording_seam';
}

/** Whether a day's rows are there and whole. */
export type Condition = 'available' | 'degraded' | 'pending' | 'missing';

/** A condition and what it comes from, in the order of `CONDITION_REASONS`; none where all is as it should be. */
export interface DayCondition {
  readonly condition: Condition;
  readonly reasons: readonly ConditionReason[];
}

/** Every reason, in the order in which they are given. */
export const CONDITION_REASONS = [
  'channel_not_reported',
  'before_retention',
  'day_not_finished',
  'sequence_gap',
  'log_lost',
  'feed_down',
  'disconnected',
  'overflow',
  'recording_seam',
  'no_rows',
] as const;

export type ConditionReason = (typeof CONDITION_REASONS)[number];

/**
 * The condition of a day of a channel. The first that holds:
 *
 * - `missing`: there are no rows, and the venue does not report the channel, or all of it is from before what is kept;
 * - `pending`: not all of it was recorded by then, so that more rows may come;
 * - `missing`: there are no rows, and no moment of it is kept and outside a gap;
 * - `degraded`: a gap overlaps it, or its beginning is from before what is kept;
 * - `available`. It may have no rows (`no_rows`), as liquidations often do: none came.
 */
export function dayCondition(day: ChannelDay): DayCondition {
  const gaps = day.gaps.filter((gap) => overlaps(gap, day));
  const found = new Set<ConditionReason>(gaps.map(({ reason }) => reason));
  if (!day.isReported) found.add('channel_not_reported');
  if (day.keptFromMs > day.fromMs) found.add('before_retention');
  if (!day.isFinished) found.add('day_not_finished');
  if (day.rows === 0) found.add('no_rows');
  return { condition: conditionOf(day, gaps), reasons: CONDITION_REASONS.filter((reason) => found.has(reason)) };
}

function conditionOf(day: ChannelDay, gaps: readonly DayGap[]): Condition {
  const isEmpty = day.rows === 0;
  if (isEmpty && (!day.isReported || day.keptFromMs >= day.toMs)) return 'missing';
  if (!day.isFinished) return 'pending';
  if (isEmpty && isLost(day, gaps)) return 'missing';
  return gaps.length > 0 || day.keptFromMs > day.fromMs ? 'degraded' : 'available';
}

/** As the ledger is read: an open gap has no end, one without length overlaps its instant, one that only touches an edge overlaps nothing. */
function overlaps({ startMs, endMs }: DayGap, { fromMs, toMs }: ChannelDay): boolean {
  return startMs < toMs && (endMs === 0 || endMs > fromMs || (endMs <= startMs && startMs >= fromMs));
}

/** Whether every moment of the day is in a gap or from before what is kept. */
function isLost({ fromMs, toMs, keptFromMs }: ChannelDay, gaps: readonly DayGap[]): boolean {
  let lostToMs = Math.max(fromMs, keptFromMs);
  for (const { startMs, endMs } of [...gaps].sort((one, other) => one.startMs - other.startMs)) {
    if (startMs > lostToMs) return false;
    lostToMs = endMs === 0 ? Infinity : Math.max(lostToMs, endMs);
  }
  return lostToMs >= toMs;
}
