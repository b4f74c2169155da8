import records from '../../controls/records.module.css';
import { Table } from '../../controls/table';
import { whole } from '../../market/numbers';
import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { Facts } from '../../controls/facts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { COMPRESSIONS, columnsOf, compressionsOf, DATASETS, DEPTH_MAX, FORMATS, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { counted, words } from '@market-state/packet-figures';
import { fieldFaults } from '../../account/field-errors';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { urlText, urlWord, useUrlState } from '../../service/url-state';
import { marketsWords, marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import styles from './exports.module.css';
import { MoreRows } from '../../controls/download-all';
import { OpeningCost } from '../../controls/opening-cost';
import { service } from '../../service/client';
import { JobView, Progress } from './jobs';
import { ORDER_FIELDS, type Order, orderLike, readOrder, withOrder, orderFaults, orderOf } from './order';
import { isUnderWay, type Job, readJobs, useJobs, useQuoteOrder, type QuotedOrder, usePlaceExport } from './use-exports';
import { Field } from '../../account/field';
import { TimeField } from '../../controls/time-field';
import { useCatalog, useSymbols } from '../../service/use-catalog';
import { useRoleGap } from '../../service/session';
import { SymbolSources } from '../../status-components/source-ribbon';
import { clock, clockBelow, clockSpan, zoned } from '../../time/clock';
import { creditWords, progressWords, sizeWords, spanWords, statusWord } from './job-labels';

const STATUSES = ['', 'queued', 'running', 'ready', 'failed', 'cancelled', 'expired'] as const;
const STATUS = urlWord(STATUSES, '');
const MINUTE_MS = 60_000;

export default function ExportsPage() {
  const [params, setParams] = useSearchParams();
  const [openedMs] = useState(() => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  const [jobId, setJobId] = useUrlState('job', urlText);
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
          <ProblemNotice error={error} fields={ORDER_FIELDS} />
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
        <Choice
          className={sheet['push']}
          label="Status"
          value={status}
          options={STATUSES}
          say={(each) => each || 'any'}
          onChoose={setStatus}
        />
      </div>
      <ProblemNotice error={jobs.error} retry={() => void jobs.refetch()} />
      {jobs.isPending ? <Outline rows={4} label="Loading jobs" /> : null}
      {jobs.data !== undefined && rows.length === 0 ? (
        <Empty why={status === '' ? 'No exports in the last 90 days.' : `No ${status} jobs.`}>
          Choose rows above and get a free quote for their files.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <JobTable jobs={rows} openId={openId} onOpen={onOpen} />}
      {rows.length === 0 ? null : (
        <MoreRows
          list={jobs}
          className={`${sheet['note'] ?? ''} ${sheet['actions'] ?? ''}`}
          action="Older jobs"
          name="export-jobs"
          readAll={() => readJobs(status)}
        />
      )}
    </section>
  );
}

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly openId: string;
  readonly onOpen: (jobId: string) => void;
}

function JobTable({ jobs, openId, onOpen }: JobTableProps) {
  return (
    <Table
      className={records['table']}
      caption="Export jobs, newest first"
      rows={jobs}
      keyOf={(job) => job.job_id}
      rowProps={(job) => ({ 'data-off': job.status === 'expired' || job.status === 'cancelled', 'aria-current': job.job_id === openId })}
      columns={[
        {
          head: zoned('Ordered'),
          cell: (job) => (
            <button type="button" className={records['open']} onClick={() => onOpen(job.job_id)}>
              {clockBelow(job.created_at_utc)}
            </button>
          ),
        },
        {
          head: 'Data',
          cell: (job) => (
            <>
              {words(job.request.dataset)}
              {job.request.tf === null ? '' : ` ${job.request.tf}`} as {job.request.format}
              <span className={records['more']}>{marketsWords(job.request.symbols)}</span>
            </>
          ),
        },
        { head: zoned('Span'), cell: (job) => spanWords(job.request) },
        {
          head: 'Status',
          cell: (job) => (
            <>
              {statusWord(job)}
              {isUnderWay(job) ? <Progress job={job} /> : null}
              <span className={records['more']}>{job.error === null ? progressWords(job) : job.error.message}</span>
            </>
          ),
        },
        { head: 'Rows', cell: (job) => whole(job.row_total), className: records['number'] },
        { head: 'Size', cell: (job) => sizeWords(job.byte_total), className: records['number'] },
        { head: 'Export credits', cell: (job) => creditWords(job) },
      ]}
    />
  );
}

function QuotePanel({ quoted, onPlaced }: { readonly quoted: QuotedOrder; readonly onPlaced: (jobId: string) => void }) {
  const { mutate, isPending, isSuccess, error } = usePlaceExport(onPlaced);
  const gap = useRoleGap('member');
  const { estimate, maxExportCredits, expiresAtUtc } = quoted.quote;
  const { export_plan: plan, would_be_refused_with: refusal, export_credits_after: left } = estimate;
  return (
    <div className={styles['quote']} role="status">
      <SymbolSources symbols={quoted.order.symbols} />
      {plan === undefined ? null : (
        <Facts
          className={styles['totals']}
          facts={[
            ['rows at most', whole(plan.row_total)],
            ['about', sizeWords(plan.byte_total)],
            [plan.part_total === 1 ? 'data file' : 'data files', whole(plan.part_total)],
            ['export credits at most', whole(maxExportCredits)],
          ]}
        />
      )}
      <p>
        {plan === undefined ? '' : `Rows from ${clockSpan(plan.request.from_utc, plan.request.to_utc)}. `}
        {refusal === null
          ? `You would have ${counted(left, 'export credit')} left. Unused credits are refunded, and failed jobs are free.`
          : `This export would be refused now: ${words(refusal)}.`}
      </p>
      <p className={sheet['actions']}>
        <button
          type="button"
          className={sheet['go']}
          disabled={isPending || isSuccess || refusal !== null || gap !== undefined}
          onClick={() => mutate(quoted)}
        >
          {isPending ? 'Starting…' : `Start export, at most ${counted(maxExportCredits, 'export credit')}`}
        </button>
        <span className={sheet['soft']}>{gap ?? `price valid until ${clock(expiresAtUtc, 'time')}`}</span>
      </p>
      <ProblemNotice error={error} />
    </div>
  );
}

interface OrderFormProps {
  readonly order: Order;
  readonly isSending: boolean;
  readonly error: unknown;
  readonly onOrder: (order: Order) => void;
  /** The quote no longer matches the form. */
  readonly onChange: () => void;
}

function OrderForm({ order, isSending, error, onOrder, onChange }: OrderFormProps) {
  const [dataset, setDataset] = useState(order.dataset);
  const [format, setFormat] = useState(order.format);
  const [own, setOwn] = useState<ReadonlyMap<string, string>>(new Map());
  // Without the catalog, no symbol is chosen yet.
  const isLoading = useCatalog().isPending;
  const columns = columnsOf({ dataset, format });
  const faults = new Map([...fieldFaults(error), ...own]);
  const submit = onForm((form) => {
    const wrong = orderFaults(form);
    setOwn(wrong);
    if (wrong.size === 0) onOrder(orderOf(form, columns.length));
  });
  return (
    <form onSubmit={submit} onChange={onChange} className={styles['order']}>
      <Choice
        className={sheet['choice']}
        label="Rows"
        name="dataset"
        value={dataset}
        options={DATASETS}
        say={words}
        onChoose={setDataset}
      />
      <TimeField label="From" name="from" ms={order.fromMs} fault={faults.get('from')} />
      <TimeField label="To (exclusive)" name="to" ms={order.toMs} fault={faults.get('to')} />
      <Symbols chosen={order.symbols} fault={faults.get('symbols')} />
      <Choice className={sheet['choice']} label="Format" name="format" value={format} options={FORMATS} say={words} onChoose={setFormat} />
      <Choice
        key={format}
        className={sheet['choice']}
        label="Compression"
        name="compression"
        defaultValue={order.compression}
        options={COMPRESSIONS.filter((each) => compressionsOf(format).includes(each))}
      />
      {dataset === 'candles' ? (
        <Choice className={sheet['choice']} label="Candle interval" name="tf" defaultValue={order.tf} options={TIMEFRAME_NAMES} />
      ) : null}
      {dataset === 'book' ? (
        <Field
          label="Levels per side"
          name="depth"
          type="number"
          min={1}
          max={DEPTH_MAX}
          placeholder={format === 'csv' ? '10' : '25'}
          defaultValue={order.depth}
          hint="25 are recorded."
          fault={faults.get('depth')}
        />
      ) : null}
      <details className={styles['columns']} key={`${dataset} ${format}`}>
        <summary>Columns: {order.columns.length === 0 ? `all ${columns.length}` : `${order.columns.length} of ${columns.length}`}</summary>
        <fieldset className={styles['boxes']}>
          <legend className="visually-hidden">Columns</legend>
          {columns.map(({ name }) => (
            <label key={name}>
              <input
                type="checkbox"
                name="columns"
                value={name}
                defaultChecked={order.columns.length === 0 || order.columns.includes(name)}
              />{' '}
              <code>{name}</code>
            </label>
          ))}
        </fieldset>
        {faults.has('columns') ? <p className={sheet['fault']}>{faults.get('columns')}</p> : null}
      </details>
      <p className={sheet['actions']}>
        <button type="submit" className={sheet['go']} disabled={isSending || isLoading}>
          {isSending ? 'Loading…' : 'Get a quote'}
        </button>
        <span className={sheet['soft']}>free; nothing is ordered yet</span>
        <span role="alert" className={sheet['fault']}>
          {own.size === 0 ? '' : `${counted(own.size, 'field')} must be corrected first.`}
        </span>
      </p>
    </form>
  );
}

/** Symbols of the catalog, and those of the address that it lacks. */
function Symbols({ chosen, fault }: { readonly chosen: readonly string[]; readonly fault: string | undefined }) {
  const known = useSymbols();
  const isLoading = useCatalog().isPending;
  const names = [...new Set([...chosen, ...known])].sort();
  return (
    <fieldset className={styles['boxes']}>
      <legend>Symbols (at most 20)</legend>
      {names.length === 0 ? <span className={sheet['soft']}>{isLoading ? 'Loading the catalog…' : 'The catalog is empty.'}</span> : null}
      {names.map((symbol, index) => (
        <label key={symbol}>
          <input
            type="checkbox"
            name="symbols"
            value={symbol}
            defaultChecked={chosen.length === 0 ? index === 0 : chosen.includes(symbol)}
          />{' '}
          {marketWords(symbol)}
        </label>
      ))}
      {fault === undefined ? null : <p className={sheet['fault']}>{fault}</p>}
    </fieldset>
  );
}
