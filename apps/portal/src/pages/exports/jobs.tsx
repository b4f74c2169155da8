import { whole } from '../../market/numbers';
import { Loaded, ProblemNotice } from '../../status-components/conditions';
import { Facts } from '../../controls/facts';
import { words, counted, percent } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { ChangeButton } from '../../controls/buttons';
import { marketWords, marketsWords } from '../../packets/market-name';
import records from '../../controls/records.module.css';
import { clock, clockSpan } from '../../time/clock';
import { creditWords, progressWords, statusWord } from './job-labels';
import { isUnderWay, type Job, useCancelJob, useJob, useSources, useReviewPack } from './use-exports';
import { SourcesRibbon, SymbolSources } from '../../status-components/source-ribbon';
import sheet from '../../theme/sheet.module.css';
import styles from './exports.module.css';
import { giveFile } from '../../controls/give-file';
import { gapShare, readReview, type Review } from './job-documents';
import { JobFiles } from './job-files';

function ReviewPack({ jobId, request }: { readonly jobId: string; readonly request: Job['request'] }) {
  const pack = useReviewPack(jobId);
  return (
    <section aria-label="Review pack" className={styles['part']}>
      <div className={sheet['head']}>
        <h3>
          Review pack <span className={sheet['soft']}>requested, planned, delivered and missing data</span>
        </h3>
        {pack.data === undefined ? null : (
          <button
            type="button"
            onClick={() =>
              giveFile(`review-pack-${jobId}.json`, new Blob([JSON.stringify(pack.data, null, 2)], { type: 'application/json' }))
            }
          >
            Save as JSON
          </button>
        )}
      </div>
      <Loaded query={pack} rows={3} label="Loading review pack">
        {(data) => <Missing review={readReview({ ...data })} request={request} />}
      </Loaded>
    </section>
  );
}

const GAPS_SHOWN = 20;

function Missing({ review, request }: { readonly review: Review; readonly request: Job['request'] }) {
  const [fromMs, toMs] = [Date.parse(request.from_utc), Date.parse(request.to_utc)];
  return (
    <>
      <ul className={styles['list']}>
        {request.symbols.map((symbol) => (
          <li key={symbol}>
            {marketWords(symbol)}: {percent(gapShare(review.gaps, symbol, fromMs, toMs))} of the span has gaps
            {daysWords(review, symbol)}
          </li>
        ))}
      </ul>
      <p>
        {counted(review.gapTotal, 'gap')}, {counted(review.lateRows, 'late row')}, {counted(review.skewedRows, 'row')} with clocks more than
        2 s apart, {counted(review.uncheckedRows, 'row')} that can't be checked.
        {review.policyDigests.length === 0 ? '' : ` Packets from ${counted(review.policyDigests.length, 'policy version')}.`}
      </p>
      {review.gaps.length === 0 ? null : (
        <details>
          <summary>Gaps{review.gapTotal > GAPS_SHOWN ? `, the first ${GAPS_SHOWN} of ${whole(review.gapTotal)}` : ''}</summary>
          <ul className={styles['list']}>
            {review.gaps.slice(0, GAPS_SHOWN).map(({ gapId, symbol, channel, startMs, endMs, reason }) => (
              <li key={gapId}>
                {marketWords(symbol)}, {channel === null ? 'every channel' : words(channel)}:{' '}
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

interface JobViewProps {
  readonly jobId: string;
  readonly onAgain: (request: Job['request']) => void;
  readonly onClose: () => void;
}

export function JobView({ jobId, onAgain, onClose }: JobViewProps) {
  const query = useJob(jobId);
  const job = query.data;
  const cancel = useCancelJob();
  return (
    <section className={sheet['panel']} aria-label="Job details">
      <div className={sheet['head']}>
        <h2>
          Job <code>{jobId}</code>
        </h2>
        {job === undefined ? null : (
          <button type="button" onClick={() => onAgain(job.request)}>
            Reuse these settings
          </button>
        )}
        {job?.status === 'queued' || job?.status === 'running' ? (
          <ChangeButton disabled={cancel.isPending} onClick={() => cancel.mutate(jobId)}>
            Cancel job
          </ChangeButton>
        ) : null}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <ProblemNotice error={cancel.error} />
      <Loaded query={query} rows={6} label="Loading job">
        {(loaded) => <JobFacts job={loaded} />}
      </Loaded>
      {job?.status === 'ready' ? (
        <>
          <Sources jobId={jobId} />
          <JobFiles jobId={jobId} />
          <ReviewPack jobId={jobId} request={job.request} />
        </>
      ) : null}
    </section>
  );
}

/** Source kind recorded when the files were made, not the current one. */
function Sources({ jobId }: { readonly jobId: string }) {
  const { data, error, refetch } = useSources(jobId);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return data === undefined ? null : <SourcesRibbon sources={data} />;
}

function JobFacts({ job }: { readonly job: Job }) {
  const { request, receipt_id: receiptId, error, expires_at_utc: expires } = job;
  return (
    <>
      {isUnderWay(job) ? <SymbolSources symbols={request.symbols} /> : null}
      {error === null ? null : (
        <p role="status" className={sheet['fault']}>
          <b>{words(error.reason)}</b>: {error.message} {creditWords(job)}.
        </p>
      )}
      <Facts
        className={styles['facts']}
        facts={[
          [
            'Status',
            <>
              {statusWord(job)}, {progressWords(job)}
              {isUnderWay(job) ? <Progress job={job} /> : null}
            </>,
          ],
          [
            'Rows',
            <>
              {words(request.dataset)} {request.tf ?? ''} of {marketsWords(request.symbols)}
            </>,
          ],
          ['Span', <>{clockSpan(request.from_utc, request.to_utc)} (exclusive)</>],
          ['Received until', request.as_of_utc === null ? 'no limit' : `${clock(request.as_of_utc)}: later rows are excluded`],
          [
            'Files',
            <>
              {request.format}, {request.compression === 'none' ? 'not compressed' : request.compression}, {request.columns.length} columns
              {request.depth === null ? '' : `, ${request.depth} levels`}
            </>,
          ],
          [
            'Export credits',
            <>
              {creditWords(job)}
              {receiptId === null ? '' : ', '}
              {receiptId === null ? null : <Link href={`/usage?receipt=${receiptId}`}>receipt</Link>}
            </>,
          ],
          ['Retention', expires === null ? 'none' : `files until ${clock(expires)}; this record for 90 days`],
        ]}
      />
    </>
  );
}

export function Progress({ job: { progress } }: { readonly job: Job }) {
  return (
    <meter
      className={records['meter']}
      min={0}
      max={1}
      value={progress}
      aria-label={`${Math.floor(100 * progress)} percent of rows done`}
    />
  );
}
