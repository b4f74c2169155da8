import { words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourcesRibbon, SymbolSources } from '../../conditions/symbol-sources';
import sheet from '../../theme/sheet.module.css';
import { clock, clockSpan } from '../../time/clock';
import styles from './exports.module.css';
import { JobFiles } from './job-files';
import { Progress } from './job-table';
import { creditWords, progressWords, statusWord } from './job-words';
import { ReviewPack } from './review-pack';
import { isUnderWay, type Job, useCancelJob, useJob, useSources } from './use-exports';

interface JobViewProps {
  readonly jobId: string;
  readonly onAgain: (request: Job['request']) => void;
  readonly onClose: () => void;
}

/** One job with all that it says: what it was asked for, how far it is, what it cost, its files and their evidence. */
export function JobView({ jobId, onAgain, onClose }: JobViewProps) {
  const { data: job, error, refetch } = useJob(jobId);
  const cancel = useCancelJob();
  return (
    <section className={sheet['panel']} aria-label="Open job">
      <div className={sheet['head']}>
        <h2>
          Job <code>{jobId}</code>
        </h2>
        {job === undefined ? null : (
          <button type="button" onClick={() => onAgain(job.request)}>
            Fill the form like it
          </button>
        )}
        {job?.status === 'queued' || job?.status === 'running' ? (
          <button type="button" disabled={cancel.isPending} onClick={() => cancel.mutate(jobId)}>
            Cancel it, free
          </button>
        ) : null}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {cancel.error === null ? null : <ProblemNotice error={cancel.error} />}
      {job === undefined ? error === null ? <Outline rows={6} label="Loading the job" /> : null : <JobFacts job={job} />}
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

/** What kind of source the rows of the files came from when they were made, whatever it is now. */
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
      <dl className={styles['facts']}>
        <div>
          <dt>Status</dt>
          <dd>
            {statusWord(job)}, {progressWords(job)}
            {isUnderWay(job) ? <Progress job={job} /> : null}
          </dd>
        </div>
        <div>
          <dt>Rows of</dt>
          <dd>
            {words(request.dataset)} {request.tf ?? ''} of {request.symbols.join(', ')}
          </dd>
        </div>
        <div>
          <dt>Span</dt>
          <dd>{clockSpan(Date.parse(request.from_utc), Date.parse(request.to_utc))}, not included</dd>
        </div>
        <div>
          <dt>Received by</dt>
          <dd>{request.as_of_utc === null ? 'not fixed' : `${clock(Date.parse(request.as_of_utc))}: later rows are not in it`}</dd>
        </div>
        <div>
          <dt>Files</dt>
          <dd>
            {request.format}, {request.compression === 'none' ? 'not compressed' : request.compression}, {request.columns.length} columns
            {request.depth === null ? '' : `, ${request.depth} levels asked for`}
          </dd>
        </div>
        <div>
          <dt>Export credits</dt>
          <dd>
            {creditWords(job)}
            {receiptId === null ? '' : ', '}
            {receiptId === null ? null : <Link href={`/usage?receipt=${receiptId}`}>receipt</Link>}
          </dd>
        </div>
        <div>
          <dt>Files kept</dt>
          <dd>{expires === null ? 'none' : `until ${clock(Date.parse(expires))}; this record for 90 days`}</dd>
        </div>
      </dl>
    </>
  );
}
