import { words } from '@market-state/packet-figures';
import records from '../../controls/records.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { creditWords, progressWords, spanWords, statusWord } from './job-words';
import { sizeWords } from './size-words';
import { isUnderWay, type Job } from './use-exports';

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly openId: string;
  readonly onOpen: (jobId: string) => void;
}

/** A row a job; at phone width each row becomes a card. */
export function JobTable({ jobs, openId, onOpen }: JobTableProps) {
  return (
    <table className={records['table']}>
      <caption className="visually-hidden">Export jobs, newest first</caption>
      <thead>
        <tr>
          <th scope="col">{zoned('Ordered')}</th>
          <th scope="col">Rows of</th>
          <th scope="col">{zoned('Span')}</th>
          <th scope="col">Status</th>
          <th scope="col" className={records['number']}>
            Rows
          </th>
          <th scope="col" className={records['number']}>
            Size
          </th>
          <th scope="col">Export credits</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.job_id} data-off={job.status === 'expired' || job.status === 'cancelled'} aria-current={job.job_id === openId}>
            <th scope="row">
              <button type="button" className={records['open']} onClick={() => onOpen(job.job_id)}>
                {clockBelow(Date.parse(job.created_at_utc))}
              </button>
            </th>
            <td data-column="Rows of">
              {words(job.request.dataset)}
              {job.request.tf === null ? '' : ` ${job.request.tf}`} as {job.request.format}
              <span className={records['more']}>{job.request.symbols.join(', ')}</span>
            </td>
            <td data-column={zoned('Span')}>{spanWords(job.request)}</td>
            <td data-column="Status">
              {statusWord(job)}
              {isUnderWay(job) ? <Progress job={job} /> : null}
              <span className={records['more']}>{job.error === null ? progressWords(job) : job.error.message}</span>
            </td>
            <td data-column="Rows" className={records['number']}>
              {job.row_total.toLocaleString('en-US')}
            </td>
            <td data-column="Size" className={records['number']}>
              {sizeWords(job.byte_total)}
            </td>
            <td data-column="Export credits">{creditWords(job)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Share of the rows that are made. */
export function Progress({ job: { progress } }: { readonly job: Job }) {
  return (
    <meter
      className={records['meter']}
      min={0}
      max={1}
      value={progress}
      aria-label={`${Math.floor(100 * progress)} percent of the rows made`}
    />
  );
}
