import { byteLengthOf } from '#bytes';

const FRAME_BYTES_MAX = 1_048_576;

export function isOversized(text: string, start = 0): boolean {
  const characters = text.length - start;
  return characters * 3 > FRAME_BYTES_MAX && byteLengthOf(text.slice(start)) > FRAME_BYTES_MAX;
}

/** `ignored`: valid but not needed by the log. */
export type NotAccepted = { readonly type: 'rejected'; readonly reason: RejectionReason } | { readonly type: 'ignored' };

export const IGNORED: NotAccepted = { type: 'ignored' };

export function rejected(reason: RejectionReason): NotAccepted {
  return { type: 'rejected', reason };
}

const REJECTION_REASONS = [
  /** No receive time before the message. */
  'broken_line',
  'broken_json',
  /** Valid JSON but not a message of the venue, or lacking a field. */
  'unknown_message',
  'unknown_symbol',
  /** Not finite or not positive (quantity 0 is valid only in a diff). */
  'bad_price',
  'bad_size',
  /** More than 5 s ahead of the feed clock. */
  'future_time',
  /** More than 24 h behind the feed clock. */
  'old_time',
  'oversized_frame',
  /** The sampled book had bid > ask. */
  'crossed_book',
  /** The sampled book had an empty side. */
  'one_sided_book',
  /** Older than the book, or than the first waiting diff. */
  'stale_snapshot',
  /** The book left its snapshot's price range and was discarded. */
  'beyond_snapshot',
  /** A change still waiting for a snapshot at the end. */
  'no_snapshot',
  /** The venue repeated a book or trade. */
  'duplicate',
  /** Trade id without a trade; nothing is missing. */
  'no_trade',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

export type RejectionCounts = Record<RejectionReason, number>;

export function noRejections(): RejectionCounts {
  return Object.fromEntries(REJECTION_REASONS.map((reason) => [reason, 0])) as RejectionCounts;
}

export function addRejections(to: RejectionCounts, more: Readonly<RejectionCounts> | undefined): void {
  for (const reason of REJECTION_REASONS) to[reason] += more?.[reason] ?? 0;
}
