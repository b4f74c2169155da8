import type { RecordingTally, RejectionCounts } from '@market-state/market-data';
import { count, counted } from './instant';

/** What a reason is in words; `no_snapshot` has a sentence of its own. */
const MEANINGS: Readonly<Record<Exclude<keyof RejectionCounts, 'no_snapshot'>, string>> = {
  broken_line: 'no receive time before the message',
  broken_json: 'no whole JSON',
  unknown_message: 'of a kind that is not read, or without a field that it needs',
  unknown_symbol: 'of other instruments',
  bad_price: 'a price that is no positive decimal',
  bad_size: 'a size that is no positive decimal',
  future_time: 'over 5 s ahead of the receive clock, or received a day after all before',
  old_time: 'over 24 h behind the receive clock',
  oversized_frame: 'over 1 MiB',
  crossed_book: 'best bid above best ask',
  one_sided_book: 'a book without bids or without asks',
  stale_snapshot: 'older than the depth updates that wait for one',
  beyond_snapshot: 'the market left the prices that the depth snapshot covered: no book from there to the next snapshot',
  duplicate: 'came before',
  no_trade: 'trade ids that came without a trade',
};

/** What a user must be told of a recording that was read, a sentence each. */
export function notesOf({
  lines,
  rejections: { no_snapshot: waitingTotal, ...rejections },
  notes: found,
}: RecordingTally): readonly string[] {
  const notes: string[] = [...found.list()];
  const reasons = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((reason) => rejections[reason] > 0);
  if (reasons.length > 0)
    notes.push(
      `of ${count(lines)} lines, not everything was used: ` +
        reasons.map((reason) => `${reason} ${count(rejections[reason])} (${MEANINGS[reason]})`).join(', '),
    );
  if (rejections.future_time + rejections.old_time > lines / 2)
    notes.push(
      'most of it was refused by its times, which must be near the receive times: receive times are UTC, and times in messages milliseconds',
    );
  if (waitingTotal > 0)
    notes.push(
      `no snapshot came: ${counted(waitingTotal, 'depth update')} could not be used, so there is no book from the first of them on`,
    );
  return notes;
}
