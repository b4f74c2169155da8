import { counted, percent, words } from '@market-state/packet-figures';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { giveFile } from '../../controls/give-file';
import sheet from '../../theme/sheet.module.css';
import { clock, clockSpan } from '../../time/clock';
import styles from './exports.module.css';
import { gapShare, readReview, type Review } from './gap-share';
import { type Job, useReviewPack } from './use-exports';

/** What is missing from a job's rows, and the whole of its evidence to save. */
export function ReviewPack({ jobId, request }: { readonly jobId: string; readonly request: Job['request'] }) {
  const { data, error, refetch } = useReviewPack(jobId);
  return (
    <section aria-label="Review pack" className={styles['part']}>
      <div className={sheet['head']}>
        <h3>
          Review pack <span className={sheet['soft']}>what was asked, planned, delivered and missing</span>
        </h3>
        {data === undefined ? null : (
          <button
            type="button"
            onClick={() => giveFile(`review-pack-${jobId}.json`, new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }))}
          >
            Save it as JSON
          </button>
        )}
      </div>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Outline rows={3} label="Loading the review pack" />
        ) : null
      ) : (
        <Missing review={readReview({ ...data })} request={request} />
      )}
    </section>
  );
}

/** Gaps that are listed here; the pack has more. */
const GAPS_SHOWN = 20;

function Missing({ review, request }: { readonly review: Review; readonly request: Job['request'] }) {
  const [fromMs, toMs] = [Date.parse(request.from_utc), Date.parse(request.to_utc)];
  return (
    <>
      <ul className={styles['list']}>
        {request.symbols.map((symbol) => (
          <li key={symbol}>
            {symbol}: {percent(gapShare(review.gaps, symbol, fromMs, toMs))} of the span lies in a gap
            {daysWords(review, symbol)}
          </li>
        ))}
      </ul>
      <p>
        {counted(review.gapTotal, 'gap')}, {counted(review.lateRows, 'late row')}, {counted(review.skewedRows, 'row')} whose clocks are more
        than 2 s apart, {counted(review.uncheckedRows, 'row')} that cannot be checked.
        {review.policyDigests.length === 0 ? '' : ` Packets of ${counted(review.policyDigests.length, 'policy version')}.`}
      </p>
      {review.gaps.length === 0 ? null : (
        <details>
          <summary>
            Gaps{review.gapTotal > GAPS_SHOWN ? `, the first ${GAPS_SHOWN} of ${review.gapTotal.toLocaleString('en-US')}` : ''}
          </summary>
          <ul className={styles['list']}>
            {review.gaps.slice(0, GAPS_SHOWN).map(({ gapId, symbol, channel, startMs, endMs, reason }) => (
              <li key={gapId}>
                {symbol}, {channel === null ? 'every channel' : words(channel)}:{' '}
                {endMs === null ? `since ${clock(startMs)}` : clockSpan(startMs, endMs)}, {words(reason)} <code>{gapId}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function daysWords({ days }: Review, symbol: string): string {
  const lacking = days.filter((day) => day.symbol === symbol && day.condition !== 'available');
  return lacking
    .map(
      ({ date, condition, reasons }) => `; ${date} ${words(condition)}${reasons.length > 0 ? ` (${reasons.map(words).join(', ')})` : ''}`,
    )
    .join('');
}
