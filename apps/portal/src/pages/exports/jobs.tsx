import { whole } from '../../market/numbers';
import { Loaded, ProblemNotice } from '../../status-components/conditions';
import { Facts } from '../../controls/facts';
import { Table, Hidden } from '../../controls/table';
import { words, counted, percent } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { ChangeButton, CopyButton } from '../../controls/buttons';
import { marketWords, marketsWords } from '../../packets/market-name';
import records from '../../controls/records.module.css';
import { zoned, clock, clockSpan, clockSpanBelow } from '../../time/clock';
import { creditWords, progressWords, statusWord, sizeWords } from './job-labels';
import {
  isUnderWay,
  type Job,
  useCancelJob,
  useJob,
  useSources,
  useReviewPack,
  type ExportFile,
  useFiles,
  readJobFile,
} from './use-exports';
import { SourcesRibbon, SymbolSources } from '../../status-components/source-ribbon';
import sheet from '../../theme/sheet.module.css';
import styles from './exports.module.css';
import { giveFile } from '../../controls/give-file';
import { gapShare, readReview, type Review } from './job-documents';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { problemWords } from '../../status-components/error-messages';

/** Up to this size a file is held in memory, so that its digest is checked before it is saved. */
const CHECKED_BYTES_MAX = 64_000_000;

const isTooLargeToCheck = ({ bytes }: ExportFile): boolean => bytes > CHECKED_BYTES_MAX;

/** Larger files use the browser's own download, which resumes with Range requests. */
function SaveFile({ jobId, file }: { readonly jobId: string; readonly file: ExportFile }) {
  const [read, setRead] = useState(0);
  const save = useMutation({
    mutationFn: async () => giveFile(file.name, await readJobFile(jobId, file, setRead)),
  });
  if (isTooLargeToCheck(file))
    return (
      <>
        <a href={file.download_route} download={file.name} aria-label={`Save ${file.name}, not checked in this page`}>
          Save
        </a>{' '}
        <span className={sheet['soft']}>not checked in this page</span>
      </>
    );
  return (
    <>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()} aria-label={`Save ${file.name}`}>
        {save.isPending ? `${Math.floor((100 * read) / Math.max(1, file.bytes))} %` : 'Save'}
      </button>{' '}
      <SaveStatus save={save} done="saved; SHA-256 verified" />
    </>
  );
}

function SaveStatus({
  save: { isSuccess, error },
  done,
}: {
  readonly save: Pick<UseMutationResult, 'isSuccess' | 'error'>;
  readonly done: string;
}) {
  return (
    <span role="status" className={error === null ? sheet['soft'] : sheet['fault']}>
      {isSuccess ? done : ''}
      {error === null ? '' : problemWords(error).detail}
    </span>
  );
}

function JobFiles({ jobId }: { readonly jobId: string }) {
  const files = useFiles(jobId);
  return (
    <section aria-label="Files" className={styles['part']}>
      <h3>
        Files <span className={sheet['soft']}>free to download any number of times</span>
      </h3>
      <Loaded query={files} rows={6} label="Loading files">
        {(data) => (
          <>
            <SaveAll jobId={jobId} files={data.files} />
            <FileTable jobId={jobId} files={data.files} />
            <CheckLarge files={data.files.filter(isTooLargeToCheck)} />
            <p className={sheet['soft']}>
              {data.checkable
                ? 'To check each row against the service, run npx market-state verify-export <folder>.'
                : 'Rows cannot be checked individually against the service, because the columns needed for that were not exported.'}{' '}
              All digests are in SHA256SUMS: <code>sha256sum -c SHA256SUMS</code>.
            </p>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Skips the listed files that were not saved. */
const CHECK_COMMAND = 'sha256sum --check --ignore-missing SHA256SUMS';

function CheckLarge({ files }: { readonly files: readonly ExportFile[] }) {
  if (files.length === 0) return null;
  return (
    <p className={sheet['actions']}>
      <span>
        {counted(files.length, 'file')} over 64 MB: your browser saves {files.length === 1 ? 'it' : 'them'} without a check by this page.
        Save SHA256SUMS into the same folder and run <code>{CHECK_COMMAND}</code> there; on macOS, use <code>shasum -a 256</code> instead of
        sha256sum. OK next to a name means that the file is intact.
      </span>
      <CopyButton text={CHECK_COMMAND} label="Copy command" />
    </p>
  );
}

/** Saves one file after the other, each checked against its digest; larger ones have links of their own. */
function SaveAll({ jobId, files }: { readonly jobId: string; readonly files: readonly ExportFile[] }) {
  const [saved, setSaved] = useState(0);
  const small = files.filter((file) => !isTooLargeToCheck(file));
  const save = useMutation({
    async mutationFn() {
      setSaved(0);
      for (const file of small) {
        giveFile(file.name, await readJobFile(jobId, file));
        setSaved((before) => before + 1);
      }
    },
  });
  if (small.length < 2) return null;
  return (
    <p className={sheet['actions']}>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending
          ? `${saved} of ${counted(small.length, 'file')} saved`
          : `Download all ${small.length} files, ${sizeWords(small.reduce((total, { bytes }) => total + bytes, 0))}`}
      </button>
      <SaveStatus save={save} done={`${counted(saved, 'file')} saved; SHA-256 verified`} />
    </p>
  );
}

function FileTable({ jobId, files }: { readonly jobId: string; readonly files: readonly ExportFile[] }) {
  return (
    <Table
      className={records['table']}
      caption="Files of this job"
      rows={files}
      keyOf={(file) => file.name}
      columns={[
        { head: 'File', cell: (file) => file.name },
        { head: 'Rows', cell: (file) => (file.rows === null ? 'none' : whole(file.rows)), className: records['number'] },
        {
          head: zoned('First to last row'),
          cell: (file) =>
            file.first_time_utc === null || file.last_time_utc === null
              ? 'explains or checks the data'
              : clockSpanBelow(file.first_time_utc, file.last_time_utc),
        },
        { head: 'Size', cell: (file) => sizeWords(file.bytes), className: records['number'] },
        {
          head: 'SHA-256',
          cell: (file) => (
            <span className={styles['digest']}>
              <code title={file.sha256}>
                {file.sha256.slice(0, 12)}…{file.sha256.slice(-4)}
              </code>
              <CopyButton text={file.sha256} label="Copy" />
            </span>
          ),
        },
        { head: <Hidden>Save</Hidden>, cell: (file) => <SaveFile jobId={jobId} file={file} />, className: records['acts'] },
      ]}
    />
  );
}

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
