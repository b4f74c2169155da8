import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { isSaidAtFields } from '../../account/field-errors';
import { Empty, Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { urlText, urlWord, useUrlState } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import styles from './exports.module.css';
import { DownloadAll } from '../../controls/download-all';
import { OpeningCost } from '../../controls/opening-cost';
import { service } from '../../service/client';
import { JobTable, JobView } from './jobs';
import { ORDER_FIELDS, type Order, orderLike, readOrder, withOrder } from './order';
import { OrderForm, QuotePanel } from './order-form';
import { type Job, readJobs, useJobs, useQuoteOrder } from './use-exports';

const STATUSES = ['', 'queued', 'running', 'ready', 'failed', 'cancelled', 'expired'] as const;
const STATUS = urlWord(STATUSES, '');
const TEXT = urlText();
const MINUTE_MS = 60_000;

export default function ExportsPage() {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  const [jobId, setJobId] = useUrlState('job', TEXT);
  const [filled, setFilled] = useState(0);
  const order = readOrder(params, openedMs);
  const [requestedAtMs, setAskedMs] = useState(order.fromMs);
  const quoting = useQuoteOrder();
  // A span moved since has not been quoted yet.
  const error = order.fromMs === requestedAtMs ? quoting.error : null;
  const ask = (requested: Order): void => {
    setParams((before) => withOrder(before, requested), { replace: true });
    setAskedMs(requested.fromMs);
    quoting.mutate(requested);
  };
  const again = (request: Job['request']): void => {
    setParams((before) => withOrder(before, orderLike(request)), { replace: true });
    quoting.reset();
    setFilled(filled + 1);
  };
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Exports</h1>
        <span className={sheet['soft']}>rows and packets as files: priced first, charged once, free to download for 7 days</span>
        <OpeningCost credits={service.creditsAtMost('listExportJobs', {}) ?? 0} />
      </div>
      <div className={styles['panels']}>
        <section className={sheet['panel']} aria-label="New export">
          <h2>New export</h2>
          <OrderForm
            // Remounts when something other than this form changes the address.
            key={`${filled} ${order.fromMs === requestedAtMs ? '' : order.fromMs}`}
            order={order}
            isSending={quoting.isPending}
            error={error}
            onOrder={ask}
            onChange={() => quoting.reset()}
          />
          {quoting.data === undefined ? null : <QuotePanel key={quoting.data.quote.id} quoted={quoting.data} onPlaced={setJobId} />}
          {error === null || isSaidAtFields(error, ORDER_FIELDS) ? null : <ProblemNotice error={error} />}
        </section>
        {jobId === '' ? null : <JobView key={jobId} jobId={jobId} onAgain={again} onClose={() => setJobId('')} />}
      </div>
      <Jobs openId={jobId} onOpen={setJobId} />
    </>
  );
}

function Jobs({ openId, onOpen }: { readonly openId: string; readonly onOpen: (jobId: string) => void }) {
  const [status, setStatus] = useUrlState('status', STATUS);
  const jobs = useJobs(status);
  const rows = jobs.data?.pages.flatMap((page) => page.jobs) ?? [];
  return (
    <section aria-label="Jobs">
      <div className={sheet['bar']}>
        <h2>Jobs</h2>
        <label className={sheet['push']}>
          Status{' '}
          <select value={status} onChange={({ target }) => setStatus(STATUS.read(target.value) ?? '')}>
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {each === '' ? 'any' : each}
              </option>
            ))}
          </select>
        </label>
      </div>
      {jobs.error === null ? null : <ProblemNotice error={jobs.error} retry={() => void jobs.refetch()} />}
      {jobs.isPending ? <Outline rows={4} label="Loading jobs" /> : null}
      {jobs.data !== undefined && rows.length === 0 ? (
        <Empty why={status === '' ? 'No exports in the last 90 days.' : `No ${status} jobs.`}>
          Choose rows above and get a free quote for their files.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <JobTable jobs={rows} openId={openId} onOpen={onOpen} />}
      {rows.length === 0 ? null : (
        <p className={`${sheet['note'] ?? ''} ${sheet['actions'] ?? ''}`}>
          {jobs.hasNextPage ? (
            <button type="button" disabled={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
              Older jobs
            </button>
          ) : null}
          <DownloadAll name="export-jobs" readAll={() => readJobs(status)} />
        </p>
      )}
    </section>
  );
}
