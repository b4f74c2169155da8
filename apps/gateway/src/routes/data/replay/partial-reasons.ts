/** Why a replay is not whole, in words. */
const WORDS: Readonly<Record<string, string>> = {
  more_rows_follow: 'more rows follow',
  gaps_in_window: 'gaps lie in the window',
  seam_loss_unknown: 'a recording began again in the window, and it is not known whether rows are missing there',
  window_not_finished: 'rows of the end of the window can still come',
  before_retention: 'the window begins before what is kept',
  rows_missing: 'rows that were written could not be read',
  channel_not_reported: 'the source does not report a channel asked for',
  packets_unreachable: 'packets could not be read',
  archive_unreadable: 'the archive could not be read',
};

/** The reasons of a receipt in one phrase. */
export function inWords(reasons: readonly string[]): string {
  return reasons.map((reason) => WORDS[reason] ?? reason).join('; ');
}
