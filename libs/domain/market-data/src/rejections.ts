import { byteLengthOf } from '#bytes';

/** Bytes that a frame may have. */
const FRAME_BYTES_MAX = 1_048_576;

/** Whether the frame that `text` holds from `start` on is over 1 MiB in UTF-8. */
export function isOversized(text: string, start = 0): boolean {
  const characters = text.length - start;
  return characters * 3 > FRAME_BYTES_MAX && byteLengthOf(text.slice(start)) > FRAME_BYTES_MAX;
}

/** A message that is not taken. `ignored` is one that the log has no use for: no fault. */
export type NotTaken = { readonly type: 'rejected'; readonly reason: RejectionReason } | { readonly type: 'ignored' };

export const IGNORED: NotTaken = { type: 'ignored' };

export function rejected(reason: RejectionReason): NotTaken {
  return { type: 'rejected', reason };
}

/** Why input was not taken into the log, or a book not made from it. */
const REJECTION_REASONS = [
  /** The line has no receive time before the message. */
  'broken_line',
  'broken_json',
  /** Valid JSON that is none of the venue's messages, or lacks a field. */
  'unknown_message',
  'unknown_symbol',
  /** Not finite, or not positive (a quantity of 0 is a removal in a diff, a fault elsewhere). */
  'bad_price',
  'bad_size',
  /** More than 5 s ahead of the feed clock. */
  'future_time',
  /** More than 24 h behind the feed clock. */
  'old_time',
  /** Over 1 MiB. */
  'oversized_frame',
  /** The sampled book had bid > ask. */
  'crossed_book',
  /** The sampled book had a side without a level. */
  'one_sided_book',
  /** A snapshot older than the book, or than the first diff that waits for it. */
  'stale_snapshot',
  /** The book left the prices that its snapshot covered, and was given up. */
  'beyond_snapshot',
  /** A change of the book that at the end still waited for a snapshot: none came that fits. */
  'no_snapshot',
  /** A whole book or a trade that was taken before: the venue sent it again. */
  'duplicate',
  /** A number among the trades that came without one: nothing is missing. */
  'no_trade',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Counts by reason. Reasons that never occurred are 0. */
export type RejectionCounts = Record<RejectionReason, number>;

export function noRejections(): RejectionCounts {
  return Object.fromEntries(REJECTION_REASONS.map((reason) => [reason, 0])) as RejectionCounts;
}

export function addRejections(to: RejectionCounts, more: Readonly<RejectionCounts> | undefined): void {
  for (const reason of REJECTION_REASONS) to[reason] += more?.[reason] ?? 0;
}
